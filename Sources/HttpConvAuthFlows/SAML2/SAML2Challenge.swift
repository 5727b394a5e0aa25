import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Recognises a service provider's challenges (saml-bindings-2.0 §3.4 and §3.5).
enum SAML2Challenge {
    /// The name of the field that carries an authentication request.
    static let fieldName = "SAMLRequest"
    // swift-format-ignore: NeverForceUnwrap
    /// The identifying header of SAP's servers, for servers that are not configured.
    static let sapHeader = HTTPField.Name("com.sap.cloud.security.login")!
    /// The maximum number of bytes of a page to search.
    static let limit = 1 << 20

    /// Whether the response has the identifying header, with any value.
    static func isMarked(_ head: HTTPResponse, _ config: SAML2Config) -> Bool {
        config.identifyingHeader.map { head.headerFields.contains($0) } ?? false
    }

    /// Whether a redirect carries an authentication request to an identity provider.
    static func isRequest(location: String) -> Bool {
        guard location.contains(fieldName) else { return false }
        return FormEncoding.query(of: location).contains { $0.name == fieldName }
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
        let status = response.status.code
        guard (200..<300).contains(status) || status == 401 || status == 403, response.request.method != .head,
            let contentType = response.headerFields[.contentType],
            let page = PageType(contentType)
        else { return false }
        let chunks = try await response.peekChunks(upTo: limit)
        guard page.needles(in: chunks.first ?? []).contains(where: { $0.isIn(chunks) }) else { return false }
        return hasField(Array(chunks.joined().prefix(limit)), contentType: contentType)
    }

    /// Whether a form of the page has a field with an authentication request.
    ///
    /// - Parameter contentType: the field's value, for its charset
    static func hasField(_ page: [UInt8], contentType: String?) -> Bool {
        HTMLPage(page, contentType: contentType).forms.contains { form in
            form.fields.contains { $0.name == fieldName }
        }
    }

    /// HTML of either kind, and the charset in the field.
    struct PageType {
        let charset: String?

        /// - Parameter field: the value of `Content-Type`
        init?(_ field: String) {
            guard Self.isPage(field) else { return nil }
            charset = field.split(ascii: ";").dropFirst().lazy.compactMap(Self.charset).first
        }

        /// Whether a value of `Content-Type` is HTML. Compares bytes: this runs for every response, and most are not pages.
        static func isPage(_ field: String) -> Bool { names.contains { isOfType(field, $0) } }

        private static let names: [StaticString] = ["text/html", "application/xhtml+xml"]

        private static func isOfType(_ field: String, _ name: StaticString) -> Bool {
            name.withUTF8Buffer { name in
                let start = field.utf8.drop { $0 == 0x20 || $0 == 0x09 }
                // Sets the bit that makes letters lower case; it is set in the other characters of the names.
                guard start.starts(with: name, by: { $0 | 0x20 == $1 }) else { return false }
                guard let next = start.dropFirst(name.count).first else { return true }
                return next == 0x20 || next == 0x09 || next == UInt8(ascii: ";")
            }
        }

        private static func charset(_ parameter: Substring) -> String? {
            guard let (name, value) = parameter.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "charset"
            else { return nil }
            let label = value.replacing(ascii: [" ": "", "\t": "", "\"": "", "'": ""])
            return label.isEmpty ? nil : label.asciiLowercased
        }

        /// The widths that the page's characters may have: one byte, unless the page declares or shows UTF-16.
        func widths(in start: [UInt8]) -> [ByteNeedle.Width] {
            if start.starts(with: [0xFE, 0xFF]) { return [.bigEndian] }
            if start.starts(with: [0xFF, 0xFE]) { return [.littleEndian] }
            switch charset {
            case "utf-16le": return [.littleEndian]
            case "utf-16be": return [.bigEndian]
            case "utf-16": return [.littleEndian, .bigEndian]
            default: return [.narrow]
            }
        }

        /// The name of the field in the page's encoding.
        func needles(in start: [UInt8]) -> [ByteNeedle] {
            widths(in: start).map { width in
                switch width {
                case .narrow: Self.narrow
                case .littleEndian: Self.littleEndian
                case .bigEndian: Self.bigEndian
                }
            }
        }

        private static let narrow = ByteNeedle(fieldName, .narrow)
        private static let littleEndian = ByteNeedle(fieldName, .littleEndian)
        private static let bigEndian = ByteNeedle(fieldName, .bigEndian)
    }
}
