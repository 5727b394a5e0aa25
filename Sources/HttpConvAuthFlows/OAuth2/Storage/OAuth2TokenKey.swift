import HttpConvFormats
public import HttpConversation

/// The storage key of tokens: the URL that stands for all requests with them, and the server support's name.
public struct OAuth2TokenKey: Hashable, Sendable {
    /// The result of ``OAuth2ServerSupport/storageURL(forRequestURL:)`` for the request's URL.
    public let storageURL: TargetURL
    /// The support's name.
    public let supportName: String
    /// Known, because keys are looked up before every request. It is the part that usually differs.
    private let hashOfURL: Int

    /// Creates a key.
    public init(storageURL: TargetURL, supportName: String) {
        self.storageURL = storageURL
        self.supportName = supportName
        hashOfURL = storageURL.hashValue
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hashOfURL) }

    /// Parses the ``text`` of a key; nil if it is invalid.
    public init?(text: String) {
        guard let (before, after) = text.cut(atASCII: " "), let url = try? TargetURL(String(before)) else { return nil }
        self.init(storageURL: url, supportName: String(after))
    }

    /// The key as one text, for storages that need one. Unambiguous: a URL contains no space.
    public var text: String { "\(storageURL.absoluteString) \(supportName)" }
}

extension OAuth2TokenKey: CustomStringConvertible {
    /// Both parts; query values of the URL are redacted.
    public var description: String { "\(storageURL) (\(TerminalText.sanitise(supportName, limit: 60)))" }
}
