public import HttpConversation

/// The specifics of one resource server.
///
/// The questions are asked in this order: whether the endpoint is supported, whether the response is a challenge, which
/// configuration obtains tokens, and under which URL they are stored. A support that does not claim the endpoint, or
/// does not recognise the challenge, is skipped and the next one is asked. Before each request, `isSupportedEndpoint`
/// and `tokenOrigins` decide whether it carries a stored token: make both fast.
///
/// Use ``ConfiguredOAuth2ServerSupport`` if the endpoints are known, ``DiscoveredOAuth2ServerSupport`` if the server
/// publishes them, ``SAPOAuth2ServerSupport`` for SAP's services. To write your own, implement `name`, `tokenOrigins`
/// and `config(forChallenge:)`; the rest has defaults:
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
    /// The only origins that get tokens (security rule S11).
    var tokenOrigins: Set<Origin> { get }
    /// How the client authenticates, if that is known before a server is asked. Default: nil. The `tokenOrigins` get
    /// the client's own certificate only if it is given here (RFC 8705 §3).
    var authentication: OAuth2ClientAuthentication? { get }
    /// Whether only tokens that are bound to a key are sent (RFC 9449); always the same. Default: false. If it is true,
    /// stored tokens without a key count as missing, and new ones are bound.
    var requiresBoundTokens: Bool { get }
    /// Whether this support serves a URL's server. Default: its origin is one of `tokenOrigins`. A support that has to
    /// ask elsewhere is an ``AsyncOAuth2ServerSupport``.
    func isSupportedEndpoint(_ url: TargetURL) -> Bool
    /// Whether a 4xx response asks for an access token. Default: 401 with a Bearer challenge (RFC 6750 §3).
    func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool
    /// The configuration that obtains tokens. Also called, without a response, before tokens are renewed without a
    /// challenge.
    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration
    /// The URL that stands for all requests with the same tokens. Default: the root of the origin.
    func storageURL(forRequestURL url: TargetURL) -> TargetURL
}

extension OAuth2ServerSupport {
    public var authentication: OAuth2ClientAuthentication? { nil }
    public var requiresBoundTokens: Bool { false }
    public func isSupportedEndpoint(_ url: TargetURL) -> Bool { tokenOrigins.contains(url.origin) }
    public func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        challenge.isBearerChallenge
    }
    public func storageURL(forRequestURL url: TargetURL) -> TargetURL { url.root }

    /// The storage key of the tokens for a URL.
    func key(for url: TargetURL) -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: storageURL(forRequestURL: url), supportName: name)
    }

    /// Whether the storage key of a URL is always the same. Supports of applications may change theirs, such as for
    /// another tenant.
    var hasConstantKeys: Bool {
        self is ConfiguredOAuth2ServerSupport || self is DiscoveredOAuth2ServerSupport || self is SAPOAuth2ServerSupport
    }

    /// Whether the first tokens need a person; nil if only the configuration tells.
    var grantNeedsPerson: Bool? {
        switch self {
        case let support as ConfiguredOAuth2ServerSupport: support.configuration.grant.needsPerson
        case let support as DiscoveredOAuth2ServerSupport: support.grant.needsPerson
        case is SAPOAuth2ServerSupport: true
        default: nil
        }
    }

    /// Whether a URL may get a token (security rule S11).
    func maySendTokens(to url: TargetURL) -> Bool {
        tokenOrigins.contains(url.origin) && url.origin.isSecure
    }
}

/// A support that has to ask elsewhere whether it serves a URL, such as in a directory of tenants.
///
/// It is asked only for URLs that ``OAuth2ServerSupport/isSupportedEndpoint(_:)`` accepts, and does not slow down other
/// supports. It is asked before each request, so cache the answer.
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
/// For client certificates, the synchronous `isSupportedEndpoint(_:)` decides: a handshake does not wait for a
/// directory.
public protocol AsyncOAuth2ServerSupport: OAuth2ServerSupport {
    /// Whether this support serves a URL's server.
    ///
    /// - Throws: an error that ends the conversation
    func isSupportedEndpoint(_ url: TargetURL, in context: ConversationContext) async throws -> Bool
}

extension OAuth2ServerSupport {
    /// Whether this support serves a URL's server, asking elsewhere if necessary.
    func claims(_ url: TargetURL, in context: ConversationContext) async throws -> Bool {
        guard isSupportedEndpoint(url) else { return false }
        guard let asking = self as? any AsyncOAuth2ServerSupport else { return true }
        return try await asking.isSupportedEndpoint(url, in: context)
    }
}

/// A set of servers that is fast for a single one, the usual case: it is asked before every request.
struct ServerSet: Sendable {
    private let only: Origin?
    private let all: Set<Origin>

    /// The servers of a support that serves its `tokenOrigins`, always the same ones; nil for others.
    init?(of support: any OAuth2ServerSupport) {
        guard support is ConfiguredOAuth2ServerSupport || support is DiscoveredOAuth2ServerSupport else { return nil }
        all = support.tokenOrigins
        only = all.count == 1 ? all.first : nil
    }

    func contains(_ origin: Origin) -> Bool { only.map { $0 == origin } ?? all.contains(origin) }
}
