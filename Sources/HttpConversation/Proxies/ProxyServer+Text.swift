import HttpConvFormats

extension ProxyServer {
    /// Parses a proxy in curl's notation: `[scheme://][user[:password]@]host[:port]`.
    ///
    /// Schemes are `http` (the default), `https`, `socks5h` and `socks5`; the last two are equivalent here: the proxy
    /// resolves host names. User name and password are percent-decoded. A path, query or fragment is ignored. The error
    /// does not repeat the text, since any part of it may belong to a password.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, or ``ConversationError/Code/unsupportedScheme``
    public init(_ text: String) throws(ConversationError) {
        do throws(ConversationError) {
            try self.init(checking: text)
        } catch {
            guard error.code == .invalidURL else { throw error }
            throw ConversationError(.invalidURL, "The proxy cannot be read. \(error.message)")
        }
    }

    private init(checking text: String) throws(ConversationError) {
        try URLText.requireVisible(text)
        let (kind, rest) = try Self.scheme(of: text)
        let authority = rest.prefix(upToASCII: "/?#")
        guard !rest[authority.endIndex...].contains(ascii: "@") else { throw Self.unescapedLogin }
        let parts = try Self.splitLogin(authority)
        let (host, port) = try HostName.split(parts.host)
        try self.init(kind, host: String(host), port: port, login: parts.login)
    }

    private static func scheme(of text: String) throws(ConversationError) -> (Kind, Substring) {
        guard let (scheme, rest) = URLText.splitScheme(Substring(text)), rest.starts(withBytesOf: "//") else {
            return (.http, Substring(text))
        }
        let host = Substring(rest.utf8.dropFirst(2))
        switch scheme.lowercased() {
        case "http": return (.http, host)
        case "https": return (.https, host)
        case "socks5", "socks5h": return (.socks5, host)
        case "socks", "socks4", "socks4a":
            throw ConversationError(
                .unsupportedScheme, "SOCKS before version 5 is not supported: use socks5h:// if the proxy supports it."
            )
        // It may also be a user name.
        default:
            throw ConversationError(
                .unsupportedScheme, "The scheme of the proxy must be http, https, socks5h or socks5.")
        }
    }

    private static func splitLogin(
        _ authority: Substring
    ) throws(ConversationError) -> (host: Substring, login: ProxyLogin?) {
        guard let at = authority.lastIndex(ofASCII: "@") else { return (authority, nil) }
        let userinfo = authority[..<at]
        let host = authority[authority.utf8.index(after: at)...]
        guard !userinfo.contains(ascii: "@") else { throw unescapedLogin }
        guard !userinfo.isEmpty else { return (host, nil) }
        let (user, password) = userinfo.cut(atASCII: ":") ?? (userinfo, "")
        return (host, ProxyLogin(username: try decode(user), password: try decode(password)))
    }

    private static func decode(_ text: Substring) throws(ConversationError) -> String {
        guard let decoded = String(validating: text.percentDecoded, as: UTF8.self), !decoded.hasControls else {
            throw ConversationError(.invalidURL, "Its user name or password has control characters or is not UTF-8.")
        }
        return decoded
    }

    private static var unescapedLogin: ConversationError {
        ConversationError(
            .invalidURL,
            "It has an @ too many: in a user name or password write %40 for @, %3A for :, %2F for /, %3F for ? and %23 for #."
        )
    }
}
