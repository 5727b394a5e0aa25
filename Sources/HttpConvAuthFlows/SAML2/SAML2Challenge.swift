import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Recognises a service provider's challenges (saml-bindings-2.0 §3.4 and §3.5).
enum SAML2Challenge {
    /// The name of the field that carries an authentication request.
    static let fieldName = "SAMLRequest"
    private static let word = PageWord(fieldName, rarest: "q")
    // swift-format-ignore: NeverForceUnwrap
    /// The identifying header of SAP's servers, for servers whose configuration names none, or that have none.
    static let sapHeader = HTTPField.Name("com.sap.cloud.security.login")!
    /// The maximum number of bytes of a page to search.
    static let limit = 1 << 20

    /// The identifying header of a configuration: SAP's if it names none.
    static func header(of config: SAML2Config) -> HTTPField.Name { config.identifyingHeader ?? sapHeader }

    /// Whether the response has the identifying header, with any value.
    static func isMarked(_ head: HTTPResponse, _ config: SAML2Config) -> Bool {
        head.headerFields.has(header(of: config))
    }

    /// Whether a redirect carries an authentication request to an identity provider. A logout request does not count.
    static func isRequest(location: String) -> Bool {
        guard location.contains(fieldName) else { return false }
        return FormEncoding.query(of: location).contains {
            $0.name == fieldName && !SAML2Message.isLogout($0.value, by: .redirect)
        }
    }

    /// Whether a request is redirected to the start of a login.
    ///
    /// Following would lose the request: a POST becomes a GET, and a HEAD gets no form. A GET is followed, because the
    /// page may know that the person is logged in.
    static func isLoginPage(_ redirect: Redirect, _ config: SAML2Config) -> Bool {
        guard redirect.method != .get, let destination = redirect.destination, let start = config.finishEndpoint else {
            return false
        }
        return destination.origin == start.origin && destination.path == start.path
            && redirect.source.path != start.path
            && !config.isFinish(destination.absoluteString)
    }

    /// Whether the page has a form with an authentication request. Only pages are read; a search for the field's name
    /// comes first, and a parser runs only if it finds the name.
    static func isForm(_ response: ReceivedResponse) async throws -> Bool {
        guard let page = PageHead(response.head), response.request.method != .head else { return false }
        let chunks = try await response.peekChunks(upTo: limit).chunks
        guard word.isIn(chunks, page.type.widths(in: chunks)) else { return false }
        try HTMLPage.requireReader()
        return hasField(Array(chunks.joined().prefix(limit)), contentType: response.headerFields[.contentType])
    }

    /// Whether a form of the page has a field with an authentication request.
    ///
    /// - Parameter contentType: the field's value, for its charset
    static func hasField(_ page: [UInt8], contentType: String?) -> Bool {
        HTMLPage(page, contentType: contentType).forms.contains { form in
            form.fields.contains {
                $0.name == fieldName && !SAML2Message.isLogout($0.value ?? "", by: .post)
            }
        }
    }
}
