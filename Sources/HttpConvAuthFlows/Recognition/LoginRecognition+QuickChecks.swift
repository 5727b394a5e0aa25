import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Cheap checks. Most redirects and pages fail them, and are neither decoded nor parsed.
extension LoginRecognition {
    /// Whether a redirect may start a login. This check is cheap, because it decodes nothing: a login's parameter has a
    /// known name, or a value with a slash.
    static func mayLead(_ head: HTTPResponse, to destination: TargetURL) -> Bool {
        mayBeRequest(destination) && isTemporary(head)
            || head.headerFields.has(SAML2Challenge.sapHeader, or: OTPConfig.sap.headerName)
    }

    /// Whether the query may have a parameter of a login request, or one that is a URL or a path: an escaped name, a
    /// name that starts like one of theirs, or a slash.
    private static func mayBeRequest(_ target: TargetURL) -> Bool {
        // A URL's text is read as a whole, because a slice of it costs more than this search.
        var text = target.requestTarget
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard let mark = bytes.firstIndex(of: "?", from: 0) else { return false }
            let query = mark + 1
            if bytes.firstIndex(of: "/", from: query) != nil { return true }
            var name = query
            while true {
                if startsLikeLogin(bytes, at: name) { return true }
                guard let end = bytes.firstIndex(of: "&", from: name) else { break }
                name = end + 1
            }
            return bytes.firstIndex(of: "%", from: query) != nil && hasEscapedNameOrSlash(bytes[query...])
        }
    }

    /// Whether a name starts like `SAMLRequest`, `wa` or `client_id`.
    private static func startsLikeLogin(_ query: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard index + 1 < query.count else { return false }
        switch (query[index], query[index + 1]) {
        case (UInt8(ascii: "S"), UInt8(ascii: "A")), (UInt8(ascii: "w"), UInt8(ascii: "a")),
            (UInt8(ascii: "c"), UInt8(ascii: "l")):
            return true
        default: return false
        }
    }

    private static func hasEscapedNameOrSlash(_ query: Slice<UnsafeRawBufferPointer>) -> Bool {
        var isName = true
        for index in query.indices {
            switch query[index] {
            case UInt8(ascii: "&"): isName = true
            case UInt8(ascii: "="): isName = false
            // %2F is a slash.
            case UInt8(ascii: "%"):
                if isName || query[index...].dropFirst().starts(with: "2f".utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
                    return true
                }
            default: break
            }
        }
        return false
    }

    /// A permanent redirect does not demand a login: the URL has changed for good (RFC 9110 §15.4).
    static func isTemporary(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        return code == 302 || code == 303 || code == 307
    }

    /// Whether a page is worth parsing.
    static func mayHaveLogin(_ chunks: [[UInt8]], _ page: PageHead) -> Bool {
        if page.status == 401 || page.status == 403 { return true }
        let widths = page.type.widths(in: chunks)
        func has(_ word: PageWord) -> Bool { word.isIn(chunks, widths) }
        return has(.form) && (has(.password) || has(.saml) || has(.result))
    }

    /// Whether a page may be nothing but a script that leads to an authorization request.
    static func mayBeScript(_ chunks: [[UInt8]], _ page: PageHead) -> Bool {
        guard page.status < 300, chunks.reduce(0, { $0 + $1.count }) <= ScriptRedirect.limit else { return false }
        return PageWord.client.isIn(chunks, [.narrow])
    }
}

/// The words of pages with logins.
extension PageWord {
    /// The beginning of a form.
    fileprivate static let form = PageWord("<form", rarest: "m", ignoresCase: true)
    /// The beginning of `SAMLRequest` and `SAMLResponse`.
    fileprivate static let saml = PageWord("SAMLRe", rarest: "M")
    /// The field of an answer of WS-Federation.
    fileprivate static let result = PageWord("wresult", rarest: "w")
    /// The parameter of an authorization request.
    fileprivate static let client = PageWord("client_id=", rarest: "_")
}
