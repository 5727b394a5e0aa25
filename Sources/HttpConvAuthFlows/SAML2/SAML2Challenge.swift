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

    /// Whether a response can be a login page: HTML, with a status that pages of logins have. Runs for every response,
    /// and most are not pages, so the media type comes first.
    static func isPage(_ head: HTTPResponse) -> Bool { PageHead(head) != nil }

    /// Whether a response may be a login page according to its status and media type. A response without a media type
    /// may be one, too, and so may one with any status that is no success.
    static func mayBePage(_ head: HTTPResponse) -> Bool {
        guard let field = head.headerFields.value(of: .contentType), PageType(field) == nil else { return true }
        return head.status.kind != .successful
    }

    /// Whether the page has a form with an authentication request. Only pages are read; a search for the field's name
    /// comes first, and a parser runs only if it finds the name.
    static func isForm(_ response: ReceivedResponse) async throws -> Bool {
        guard let page = PageHead(response.head), response.request.method != .head else { return false }
        let chunks = try await response.peekChunks(upTo: limit)
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

    /// The head of a response that can be a login page.
    struct PageHead {
        /// 2xx, 401 or 403.
        let status: Int
        let type: PageType

        init?(_ head: HTTPResponse) {
            guard let field = head.headerFields.value(of: .contentType), let type = PageType(field) else { return nil }
            let code = head.status.code
            guard (200..<300).contains(code) || code == 401 || code == 403 else { return nil }
            (status, self.type) = (code, type)
        }
    }

    /// HTML of either kind, and its encoding.
    struct PageType {
        private let field: String

        /// - Parameter field: the value of `Content-Type`
        init?(_ field: String) {
            var text = field
            guard text.withUTF8(Self.isPage) else { return nil }
            self.field = field
        }

        private static func isPage(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
            let start = field.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? field.endIndex
            guard field.count - start > 1 else { return false }
            // The second letter tells nearly all other types apart.
            switch field[start + 1] | 0x20 {
            case UInt8(ascii: "e"): return isType("text/html", at: start, of: field)
            case UInt8(ascii: "p"): return isType("application/xhtml+xml", at: start, of: field)
            default: return false
            }
        }

        private static func isType(
            _ name: StaticString, at start: Int, of field: UnsafeBufferPointer<UInt8>
        ) -> Bool {
            let length = name.utf8CodeUnitCount
            guard let place = field.baseAddress, field.count - start >= length else { return false }
            var index = 0
            while index < length {
                // Sets the bit that makes letters lower case; it is set in the other characters of the names.
                guard place[start + index] | 0x20 == name.utf8Start[index] else { return false }
                index += 1
            }
            let end = start + length
            return end == field.count || field[end] == 0x20 || field[end] == 0x09 || field[end] == UInt8(ascii: ";")
        }

        /// The charset in the field, if it may be one of UTF-16. Only a value with a 6 or a d can name UTF-16; others
        /// are not parsed.
        private var charset: String? {
            var text = field
            let mayBeWide = text.withUTF8 { bytes in
                var index = 0
                while index < bytes.count {
                    if bytes[index] == UInt8(ascii: "6") || bytes[index] | 0x20 == UInt8(ascii: "d") { return true }
                    index += 1
                }
                return false
            }
            return mayBeWide ? field.split(ascii: ";").dropFirst().lazy.compactMap(Self.charset).first : nil
        }

        private static func charset(_ parameter: Substring) -> String? {
            guard let (name, value) = parameter.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "charset"
            else { return nil }
            let label = value.replacing(ascii: [" ": "", "\t": "", "\"": "", "'": ""])
            return label.isEmpty ? nil : label.asciiLowercased
        }

        /// The widths that the page's characters may have: one byte, unless the page declares or shows UTF-16.
        func widths(in chunks: [[UInt8]]) -> [ByteNeedle.Width] {
            switch (Self.mark(chunks), charset) {
            case ((0xFE, 0xFF), _): [.bigEndian]
            case ((0xFF, 0xFE), _): [.littleEndian]
            case (_, "utf-16le"), (_, "unicode"): [.littleEndian]
            case (_, "utf-16be"): [.bigEndian]
            case (_, "utf-16"): [.littleEndian, .bigEndian]
            default: [.narrow]
            }
        }

        /// The first two bytes, which may be a byte order mark.
        private static func mark(_ chunks: [[UInt8]]) -> (UInt8?, UInt8?) {
            if let first = chunks.first, first.count > 1 { return (first[0], first[1]) }
            var bytes = chunks.joined().makeIterator()
            return (bytes.next(), bytes.next())
        }
    }
}
