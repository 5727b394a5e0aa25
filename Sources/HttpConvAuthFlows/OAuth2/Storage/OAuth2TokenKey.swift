public import HttpConversation

/// What tokens are stored under: the URL that stands for all requests they serve, and the server support's name.
public struct OAuth2TokenKey: Hashable, Sendable {
    /// What ``OAuth2ServerSupport/storageURL(forRequestURL:)`` made of the request's URL.
    public let storageURL: TargetURL
    /// The support's name.
    public let supportName: String

    /// Names an entry of a storage.
    public init(storageURL: TargetURL, supportName: String) {
        self.storageURL = storageURL
        self.supportName = supportName
    }

    /// By what tells keys apart in nearly all cases: they are looked up before every request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storageURL.origin.host)
        hasher.combine(storageURL.origin.port)
        hasher.combine(storageURL.requestTarget)
    }

    /// The key that a storage wrote as ``text``; nil where the text is none.
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
