/// Finds the form of the POST binding in a page.
enum SAML2Form {
    /// Whether a form of the page has a field that carries an authentication request.
    ///
    /// - Parameter contentType: the field's value, for its charset
    static func isIn(_ page: [UInt8], contentType: String?) -> Bool {
        HTMLPage(page, contentType: contentType).forms.contains { form in
            form.fields.contains { $0.name == SAML2Challenge.fieldName }
        }
    }
}
