import HttpConvFormats
public import HttpConversation

/// The storage key of tokens: the URL that stands for all requests with them, and the server support's name, by its bytes
/// as in storages.
public struct OAuth2TokenKey: Hashable, Sendable {
    /// An object, because keys are passed around before each request. Usually the same one is looked up again.
    private final class Parts: Sendable {
        let storageURL: TargetURL
        let supportName: String
        /// Known, because of look-ups. It is the hash of the part that usually differs.
        let hashOfURL: Int

        init(_ storageURL: TargetURL, _ supportName: String) {
            self.storageURL = storageURL
            self.supportName = supportName
            hashOfURL = storageURL.hashValue
        }
    }

    private let parts: Parts

    /// The result of ``OAuth2ServerSupport/storageURL(forRequestURL:)`` for the request's URL.
    public var storageURL: TargetURL { parts.storageURL }
    /// The support's name.
    public var supportName: String { parts.supportName }

    /// Creates a key.
    public init(storageURL: TargetURL, supportName: String) { parts = Parts(storageURL, supportName) }

    public static func == (one: OAuth2TokenKey, other: OAuth2TokenKey) -> Bool {
        one.parts === other.parts
            || one.parts.hashOfURL == other.parts.hashOfURL && one.storageURL == other.storageURL
                && one.supportName.hasSameBytes(as: other.supportName)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts.hashOfURL) }

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
