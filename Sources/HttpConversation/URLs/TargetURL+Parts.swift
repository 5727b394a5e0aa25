import HttpConvFormats

/// Other URLs of the same origin, made from parsed parts: nothing is parsed again, so no part can become a host
/// (security rule S1).
extension TargetURL {
    /// The same URL with another query, or without one. The fragment is removed, too.
    ///
    /// - Parameter query: without its question mark; characters that are invalid in a query, and `#`, are
    ///   percent-encoded
    /// - Throws: ``ConversationError/Code/invalidURL`` for control characters and white space
    public func with(query: String?) throws(ConversationError) -> TargetURL {
        let path = isServerWide ? "/" : self.path
        guard let query else { return with(checked: String(path)) }
        try URLText.requireVisible(query, in: .query)
        return with(checked: "\(path)?\(URLText.encode(query, in: .query, except: [0x23]))")
    }

    /// The same URL with an extended query, after an ampersand if there is a query already. The fragment is kept.
    ///
    /// - Parameter query: as in ``with(query:)``; an empty one changes nothing
    /// - Throws: ``ConversationError/Code/invalidURL``
    public func appending(query: String) throws(ConversationError) -> TargetURL {
        guard !query.isEmpty else { return self }
        let before = self.query.map(String.init) ?? ""
        let separator = before.isEmpty || before.utf8.last == UInt8(ascii: "&") ? "" : "&"
        let changed = try with(query: before + separator + query)
        return TargetURL(origin: origin, requestTarget: changed.requestTarget, fragment: fragment)
    }

    /// Another path at the same origin, without query and fragment.
    ///
    /// - Parameter path: starts with a slash; two slashes at its start do not make a host. `?` and `#` are
    ///   percent-encoded
    /// - Throws: ``ConversationError/Code/invalidURL``
    public func with(path: String) throws(ConversationError) -> TargetURL {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw ConversationError(
                .invalidURL, "The path \"\(TerminalText.sanitise(path))\" does not start with a slash.")
        }
        try URLText.requireVisible(path, in: .hierarchy)
        return with(checked: URLText.encode(path, in: .hierarchy, except: [0x23, 0x3F]))
    }

    /// The URL without its fragment, which is never sent.
    package var withoutFragment: TargetURL { with(checked: requestTarget) }

    private func with(checked requestTarget: String) -> TargetURL {
        TargetURL(origin: origin, requestTarget: requestTarget)
    }
}

extension URLText {
    /// Encodes characters that are invalid in a URL, and reserved ones with another meaning in this place.
    fileprivate static func encode(_ text: String, in part: Part, except reserved: [UInt8]) -> String {
        var result = encode(Substring(text), in: part)
        for byte in reserved {
            let character = String(UnicodeScalar(byte))
            guard result.utf8.contains(byte) else { continue }
            result = result.replacing(character, with: Hexadecimal.percentEncoded([byte], except: { _ in false }))
        }
        return result
    }
}

extension Origin {
    /// A URL of this origin from a request target in origin form (RFC 9112 §3.2.1): a path, perhaps with a query.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``
    public func url(requestTarget: String) throws(ConversationError) -> TargetURL {
        let parts = requestTarget.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let page = try TargetURL(origin: self, requestTarget: "/").with(path: parts.first.map(String.init) ?? "")
        return parts.count > 1 ? try page.with(query: String(parts[1])) : page
    }
}
