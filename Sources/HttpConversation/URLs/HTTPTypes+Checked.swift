public import HTTPTypes
import HttpConvFormats

extension HTTPRequest {
    /// A request for a URL, checked: it never traps, and rewrites nothing silently.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL`` or ``ConversationError/Code/unsupportedScheme``
    public init(
        _ method: HTTPRequest.Method = .get, _ url: some TargetURLConvertible, fields: HTTPFields = [:]
    ) throws(ConversationError) {
        let target = try url.targetURL()
        try target.refuseUserinfo()
        self.init(method, target, fields: fields)
    }

    /// A request for a URL that was checked before.
    public init(_ method: HTTPRequest.Method = .get, _ target: TargetURL, fields: HTTPFields = [:]) {
        self.init(
            method: method, scheme: target.origin.scheme.rawValue, authority: target.origin.authority,
            path: target.requestTarget, headerFields: fields)
    }
}

extension HTTPField {
    /// A field from untrusted text, such as from a command line.
    ///
    /// The plain initialiser turns CR, LF and NUL into spaces; this one refuses them (security rule S6).
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest``
    public init(checking name: String, _ value: String) throws(ConversationError) {
        guard let fieldName = HTTPField.Name(name), !name.starts(withBytesOf: ":") else {
            throw ConversationError(
                .invalidRequest, "The name of a header field may have letters, digits and !#$%&'*+-.^_`|~ only.")
        }
        try self.init(fieldName, checking: value)
    }

    /// A field of a known name with an untrusted value.
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest``
    public init(_ name: Name, checking value: String) throws(ConversationError) {
        var text = value
        let hasControl = text.withUTF8 { $0.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }
        if hasControl {
            throw ConversationError(
                .invalidRequest,
                "The value of the header field \(name.canonicalName) contains a control character (CR, LF, NUL …)."
            )
        }
        self.init(name: name, value: value)
    }
}

extension HTTPRequest.Method {
    /// A method from untrusted text.
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest`` if the text is not a token (RFC 9110 §9.1)
    public init(checking text: String) throws(ConversationError) {
        guard let method = HTTPRequest.Method(text) else {
            throw ConversationError(
                .invalidRequest, "A request method may have letters, digits and !#$%&'*+-.^_`|~ only.")
        }
        self = method
    }
}

extension TargetURL {
    func refuseUserinfo() throws(ConversationError) {
        guard userinfo != nil else { return }
        throw ConversationError(
            .invalidURL,
            "The URL for \(origin) carries a user name or password: give credentials to a UsernamePasswordProvider instead."
        )
    }
}
