import HttpConvFormats
import HttpConvPlatform
public import HttpConversation

/// The URI to which the authorization server redirects the person (RFC 6749 §3.1.2, RFC 8252 §7).
public struct OAuth2RedirectURI: Hashable, Sendable {
    /// The kinds of redirect URIs for native applications.
    public enum Kind: Hashable, Sendable {
        /// `http://127.0.0.1:PORT/…`, `[::1]` or `localhost`: a listener of our own; port 0 stands for any free port.
        case loopback
        /// `https://…`: intercepted by a web view, or claimed by the application.
        case web
        /// `com.example.app:/…`: the operating system opens the application with it.
        case customScheme
    }

    /// The URI as it is sent.
    public let text: String
    /// The kind of the URI.
    public let kind: Kind
    /// The scheme in lower case.
    public let scheme: String
    /// The URI as a target; nil for a custom scheme.
    public let target: TargetURL?

    /// Checks a redirect URI.
    ///
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``, ``OAuth2Error/Code/insecureEndpoint``
    public init(_ uri: some TargetURLConvertible) throws(OAuth2Error) {
        let text = uri.urlText
        guard let colon = text.firstIndex(ofASCII: ":"), text[..<colon].allSatisfy(Self.isSchemeCharacter),
            text.first?.isLetter == true, text.isVisibleASCII, !text.contains("#")
        else {
            throw OAuth2Error(
                .invalidConfiguration, "The redirect URI is not an absolute URI without fragment.")
        }
        scheme = text[..<colon].lowercased()
        self.text = text
        guard scheme == "http" || scheme == "https" else {
            guard !Self.reserved.contains(scheme) else {
                throw OAuth2Error(.invalidConfiguration, "A redirect URI cannot have the scheme \"\(scheme)\".")
            }
            kind = .customScheme
            target = nil
            return
        }
        // Port 0 means "any free port"; requests cannot go to it.
        let target = try SecureEndpoint.parse(Self.replacingPortZero(text), "redirect URI")
        kind = target.origin.scheme == .http ? .loopback : .web
        self.target = target
    }

    /// The default redirect URI. On iOS, because an application cannot listen behind a browser, it is
    /// `BUNDLE-IDENTIFIER:/callback` (RFC 8252 §7.1), and empty without an identifier that can be a scheme. Elsewhere
    /// it is a listener with any port.
    public static var ofThisApplication: String {
        #if os(iOS)
        application(Bundle.main.bundleIdentifier) ?? ""
        #else
        "http://127.0.0.1:0/callback"
        #endif
    }

    /// The redirect URI of an application: its bundle identifier, which is a domain in reverse order, as scheme.
    static func application(_ identifier: String?) -> String? {
        guard let identifier, identifier.contains("."),
            let uri = try? OAuth2RedirectURI("\(identifier.asciiLowercased):/callback"), uri.kind == .customScheme
        else { return nil }
        return uri.text
    }

    /// Whether the listener chooses the port when it starts.
    public var hasAnyPort: Bool { kind == .loopback && Self.replacingPortZero(text) != text }

    /// The same URI with a listener's port.
    public func with(port: Int) throws(OAuth2Error) -> OAuth2RedirectURI {
        guard hasAnyPort else { return self }
        return try OAuth2RedirectURI(Self.replacingPortZero(text, with: port))
    }

    /// Whether a URL equals this URI apart from its query: same scheme, authority and path.
    public func matches(_ url: String) -> Bool {
        if let target {
            guard let other = try? TargetURL(url) else { return false }
            return other.origin == target.origin && other.path == target.path && other.userinfo == nil
        }
        return Self.base(url) == Self.base(text)
    }

    /// The URL without query and fragment, the scheme in lower case.
    static func base(_ url: String) -> String? {
        let base = url.prefix(upToASCII: "?#")
        guard let colon = base.firstIndex(ofASCII: ":") else { return nil }
        return base[..<colon].asciiLowercased + base[colon...]
    }

    private static func replacingPortZero(_ text: String, with port: Int = 1) -> String {
        guard text.lowercased().hasPrefix("http://") else { return text }
        let authority = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
        guard authority.hasSuffix(":0") else { return text }
        return text.prefix(7) + authority.dropLast() + "\(port)" + text[authority.endIndex...]
    }

    private static func isSchemeCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
    }

    /// Schemes with a special meaning for browsers or the system.
    private static let reserved: Set<String> = [
        "javascript", "data", "file", "about", "blob", "ftp", "mailto", "ws", "wss",
    ]
}

extension OAuth2RedirectURI: CustomStringConvertible {
    /// The URI without its query.
    public var description: String { TerminalText.sanitise(String(text.prefix { $0 != "?" })) }
}
