/// A form of a page.
package struct HTMLForm: Sendable {
    /// The method for sending the fields.
    package enum Method: String, Sendable {
        case get
        case post
        /// Closes a dialog and sends nothing.
        case dialog

        /// The method of an attribute's value; GET if the value is unknown or missing.
        init(attribute: String?) { self = attribute.flatMap { Self(rawValue: $0.lowercased()) } ?? .get }
    }

    /// The encoding of the body.
    package enum Encoding: String, Sendable {
        case urlEncoded = "application/x-www-form-urlencoded"
        case multipart = "multipart/form-data"
        case plain = "text/plain"

        /// The encoding of an attribute's value; the URL's if the value is unknown or missing.
        init(attribute: String?) { self = attribute.flatMap { Self(rawValue: $0.lowercased()) } ?? .urlEncoded }
    }

    /// `formaction`, `formmethod`, `formenctype` and `formnovalidate` of a submit button.
    package struct Overrides: Sendable {
        package var action: String?
        package var method: Method?
        package var encoding: Encoding?
        /// Whether it sends the form although required fields are empty.
        package var skipsValidation = false
    }

    package var id: String?
    /// The attribute with character references decoded; nil if it is missing.
    package var action: String?
    package var method = Method.get
    package var encoding = Encoding.urlEncoded
    /// Whether browsers send it although required fields are empty (`novalidate`).
    package var skipsValidation = false
    /// Whether browsers never send it, because a script of the page does (`onsubmit="return false"`).
    package var isLeftToScripts = false
    /// The charset of `accept-charset`, if it is known.
    package var acceptCharset: HTMLCharset?
    /// The fields in the order of the page.
    package var fields: [HTMLField] = []

    package init() {}

    /// Whether one of its hidden fields has this name.
    package func hasHidden(_ name: String) -> Bool { fields.contains { $0.kind == .hidden && $0.name == name } }
}
