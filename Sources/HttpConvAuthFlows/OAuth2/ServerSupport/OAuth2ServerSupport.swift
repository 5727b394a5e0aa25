public import HttpConversation

/// What is particular to one resource server.
///
/// The questions are asked in this order: is the endpoint supported, is this response a challenge, with which
/// configuration are tokens got, under which URL are they stored. A support that does not claim the endpoint, or does
/// not recognise the challenge, is skipped and the next one is asked. Before each request, `isSupportedEndpoint` and
/// `tokenOrigins` decide whether a stored token goes along: make both quick.
///
/// Use ``ConfiguredOAuth2ServerSupport`` where the endpoints are known, ``DiscoveredOAuth2ServerSupport`` where the
/// server publishes them, ``SAPOAuth2ServerSupport`` for SAP's services. To write your own, implement `name`,
/// `tokenOrigins` and `config(forChallenge:)`; the rest has defaults:
///
/// ```swift
/// struct Shop: OAuth2ServerSupport {
///     let name = "Shop"
///     let tokenOrigins: Set<Origin> = [shopOrigin]
///     func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { shopConfiguration }
/// }
/// ```
public protocol OAuth2ServerSupport: Sendable {
    /// Part of the storage key: unique among the supports of a configurator, and the same in every run.
    var name: String { get }
    /// The only origins that tokens are ever sent to (security rule S11).
    var tokenOrigins: Set<Origin> { get }
    /// How the client authenticates, where that is known before a server is asked. Default: nil. A certificate of the
    /// client's own is shown to the `tokenOrigins` because of it (RFC 8705 §3).
    var authentication: OAuth2ClientAuthentication? { get }
    /// Whether this support knows the server behind a URL. Default: its origin is one of `tokenOrigins`. A support that
    /// has to ask somewhere is an ``AsyncOAuth2ServerSupport``.
    func isSupportedEndpoint(_ url: TargetURL) -> Bool
    /// Whether a 4xx response asks for an access token. Default: 401 with a Bearer challenge (RFC 6750 §3).
    func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool
    /// How tokens are got. Also asked, with no response, before tokens are renewed ahead of their end.
    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration
    /// The URL that stands for all requests that the same tokens serve. Default: the root of the origin.
    func storageURL(forRequestURL url: TargetURL) -> TargetURL
}

extension OAuth2ServerSupport {
    public var authentication: OAuth2ClientAuthentication? { nil }
    public func isSupportedEndpoint(_ url: TargetURL) -> Bool { tokenOrigins.includes(url.origin) }
    public func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        challenge.isBearerChallenge
    }
    public func storageURL(forRequestURL url: TargetURL) -> TargetURL { url.root }

    /// Where the tokens for a URL are stored.
    func key(for url: TargetURL) -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: storageURL(forRequestURL: url), supportName: name)
    }

    /// Whether a token may go to a URL (security rule S11).
    func maySendTokens(to url: TargetURL) -> Bool {
        tokenOrigins.includes(url.origin) && SecureEndpoint.isSecure(url.origin)
    }
}

/// A support that has to ask somewhere whether it knows a server, such as a directory of tenants.
///
/// The question is asked only for URLs that ``OAuth2ServerSupport/isSupportedEndpoint(_:)`` does not rule out, and never for
/// other supports, which cost no more because of it. It is asked before each request: keep the answer.
///
/// ```swift
/// struct Tenants: AsyncOAuth2ServerSupport {
///     let name = "Tenants"
///     let tokenOrigins: Set<Origin> = [shopOrigin]
///     let directory: Directory
///     func isSupportedEndpoint(_ url: TargetURL, in context: ConversationContext) async throws -> Bool {
///         try await directory.knows(url, asking: context)     // by context.start(…)
///     }
///     func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { shopConfiguration }
/// }
/// ```
/// A client certificate is shown to where `isSupportedEndpoint(_:)` says: a handshake does not wait for a directory.
public protocol AsyncOAuth2ServerSupport: OAuth2ServerSupport {
    /// Whether this support knows the server behind a URL.
    ///
    /// - Throws: what ends the conversation
    func isSupportedEndpoint(_ url: TargetURL, in context: ConversationContext) async throws -> Bool
}

extension OAuth2ServerSupport {
    /// Whether this support knows the server behind a URL, with what it has to ask somewhere.
    func claims(_ url: TargetURL, in context: ConversationContext) async throws -> Bool {
        guard isSupportedEndpoint(url) else { return false }
        guard let asking = self as? any AsyncOAuth2ServerSupport else { return true }
        return try await asking.isSupportedEndpoint(url, in: context)
    }
}

extension Set<Origin> {
    /// As `contains`: comparing with one is quicker than hashing, and there mostly is one. Asked before every request.
    fileprivate func includes(_ origin: Origin) -> Bool { count == 1 ? first == origin : contains(origin) }
}
