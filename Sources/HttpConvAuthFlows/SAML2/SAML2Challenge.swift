import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Recognises a service provider's challenges (saml-bindings-2.0 §3.4 and §3.5).
enum SAML2Challenge {
    /// The name of the field that carries an authentication request.
    static let fieldName = "SAMLRequest"
    private static let word = PageWord(fieldName, rarest: "q")
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

    /// Whether a response can be a login page: HTML, with a status that pages of logins have. Compares bytes, because it
    /// runs for every response, and most are not pages.
    static func isPage(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        guard (200..<300).contains(code) || code == 401 || code == 403,
            let type = head.headerFields.value(of: .contentType)
        else { return false }
        return PageType.isPage(type)
    }

    /// Whether the page has a form with an authentication request. Only pages are read; a search for the field's name
    /// comes first, and a parser runs only if it finds the name.
    static func isForm(_ response: ReceivedResponse) async throws -> Bool {
        guard isPage(response.head), response.request.method != .head,
            let contentType = response.headerFields[.contentType], let page = PageType(contentType)
        else { return false }
        let chunks = try await response.peekChunks(upTo: limit)
        guard word.isIn(chunks, page.widths(in: chunks)) else { return false }
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

    /// HTML of either kind, and its encoding.
    struct PageType {
        /// The charset in the field, if it may be one of UTF-16.
        private let charset: String?

        /// - Parameter field: the value of `Content-Type`
        init?(_ field: String) {
            guard Self.isPage(field) else { return nil }
            // Only a value with a 6 or a d can name UTF-16. Others are not parsed.
            let mayBeWide = field.utf8.contains { $0 == UInt8(ascii: "6") || $0 | 0x20 == UInt8(ascii: "d") }
            charset = mayBeWide ? field.split(ascii: ";").dropFirst().lazy.compactMap(Self.charset).first : nil
        }

        /// Whether a value of `Content-Type` is HTML.
        fileprivate static func isPage(_ field: String) -> Bool {
            var field = field
            return field.withUTF8 { isOfType($0, "text/html") || isOfType($0, "application/xhtml+xml") }
        }

        private static func isOfType(_ field: UnsafeBufferPointer<UInt8>, _ name: StaticString) -> Bool {
            var place = field.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? field.endIndex
            guard field.count - place >= name.utf8CodeUnitCount else { return false }
            for index in 0..<name.utf8CodeUnitCount {
                // Sets the bit that makes letters lower case; it is set in the other characters of the names.
                guard field[place] | 0x20 == name.utf8Start[index] else { return false }
                place += 1
            }
            return place == field.count || field[place] == 0x20 || field[place] == 0x09
                || field[place] == UInt8(ascii: ";")
        }

        private static func charset(_ parameter: Substring) -> String? {
            guard let (name, value) = parameter.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "charset"
            else { return nil }
            let label = value.replacing(ascii: [" ": "", "\t": "", "\"": "", "'": ""])
            return label.isEmpty ? nil : label.asciiLowercased
        }

        /// The widths that the page's characters may have: one byte, unless the page declares or shows UTF-16.
        func widths(in chunks: [[UInt8]]) -> [ByteNeedle.Width] {
            var bytes = chunks.joined().makeIterator()
            return switch (bytes.next(), bytes.next(), charset) {
            case (0xFE, 0xFF, _): [.bigEndian]
            case (0xFF, 0xFE, _): [.littleEndian]
            case (_, _, "utf-16le"), (_, _, "unicode"): [.littleEndian]
            case (_, _, "utf-16be"): [.bigEndian]
            case (_, _, "utf-16"): [.littleEndian, .bigEndian]
            default: [.narrow]
            }
        }
    }
}
