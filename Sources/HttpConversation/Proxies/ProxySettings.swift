/// The rules for which requests use which proxy. A configured proxy is used, or the request fails: it is never bypassed
/// (security rule S25).
public struct ProxySettings: Sendable {
    /// Nil if no request uses a proxy: cheap to check and to copy.
    private let rules: Rules?

    private init(_ rules: Rules?) { self.rules = rules }

    /// No proxy, regardless of the environment.
    public static let none = ProxySettings(nil)

    /// One proxy for every request.
    public static func always(_ proxy: ProxyServer) -> ProxySettings { ProxySettings(http: proxy, https: proxy) }

    /// A proxy for each scheme.
    ///
    /// - Parameters:
    ///   - http: the proxy for `http` URLs; nil: direct
    ///   - https: the proxy for `https` URLs; nil: direct
    ///   - bypass: the hosts that are reached directly, with either scheme
    public init(http: ProxyServer?, https: ProxyServer?, bypass: ProxyBypassList = ProxyBypassList()) {
        self.init(http: .success(http), https: .success(https), bypass: bypass)
    }

    /// - Parameters:
    ///   - http: the proxy; an error fails each request that it is for
    ///   - https: the proxy; an error fails each request that it is for
    init(
        http: Result<ProxyServer?, ConversationError>, https: Result<ProxyServer?, ConversationError>,
        bypass: ProxyBypassList
    ) {
        if case (.success(nil), .success(nil)) = (http, https) {
            self.init(nil)
        } else {
            self.init(bypass.isEverything ? nil : Rules(http: http, https: https, bypass: bypass))
        }
    }

    /// The same proxies, as the defaults that a transport with proxies of the system's settings leaves out.
    package var asDefault: ProxySettings {
        guard let rules else { return self }
        return ProxySettings(
            Rules(
                http: rules.http, https: rules.https, bypass: rules.bypass, direct: rules.direct, isDefault: true))
    }

    /// Whether the settings are the environment's, and not chosen by the application.
    var isDefault: Bool { rules?.isDefault == true }

    /// Whether no request uses a proxy.
    public var isEmpty: Bool { rules == nil }

    /// The proxy for one request; nil: direct.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration`` if the configured proxy is invalid
    public func proxy(for target: TargetURL) throws(ConversationError) -> ProxyServer? {
        guard let rules else { return nil }
        return try rules.proxy(for: target.origin)
    }

    /// The same proxies, one of them with another login. A login is for the proxy that was named when it was obtained,
    /// and for no other (security rule S31).
    ///
    /// - Parameters:
    ///   - login: the login for the proxy
    ///   - proxy: the proxy; its own login is ignored
    public func with(login: ProxyLogin, for proxy: ProxyServer) -> ProxySettings {
        guard let rules else { return self }
        let change = { (server: ProxyServer?) -> ProxyServer? in
            server?.isSame(as: proxy) == true ? server?.with(login: login) : server
        }
        return ProxySettings(
            Rules(
                http: rules.http.map(change), https: rules.https.map(change), bypass: rules.bypass,
                direct: rules.direct))
    }

    /// The valid proxies, each once.
    public var servers: [ProxyServer] {
        guard let rules else { return [] }
        let found = [try? rules.http.get(), try? rules.https.get()].compactMap { $0 }
        return found.count == 2 && found[0].isSame(as: found[1]) ? [found[0]] : found
    }

    /// The same proxies, except for some origins that are reached in another configured way.
    public func without(_ origins: Set<Origin>) -> ProxySettings {
        guard let rules else { return self }
        return ProxySettings(
            Rules(
                http: rules.http, https: rules.https, bypass: rules.bypass,
                direct: rules.direct.union(origins), isDefault: rules.isDefault))
    }

    /// The proxies by scheme and the bypass list, for other programs; nil: none.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration`` if a proxy is invalid
    package func parts() throws(ConversationError) -> (
        http: ProxyServer?, https: ProxyServer?, bypass: ProxyBypassList
    )? {
        guard let rules else { return nil }
        return (try rules.http.get(), try rules.https.get(), rules.bypass)
    }

    private final class Rules: Sendable {
        let http: Result<ProxyServer?, ConversationError>
        let https: Result<ProxyServer?, ConversationError>
        let bypass: ProxyBypassList
        let direct: Set<Origin>
        /// Whether they are defaults: the environment's, which nobody has chosen.
        let isDefault: Bool

        init(
            http: Result<ProxyServer?, ConversationError>, https: Result<ProxyServer?, ConversationError>,
            bypass: ProxyBypassList, direct: Set<Origin> = [], isDefault: Bool = false
        ) {
            self.direct = direct
            self.isDefault = isDefault
            self.http = http
            self.https = https
            self.bypass = bypass
        }

        func proxy(for origin: Origin) throws(ConversationError) -> ProxyServer? {
            guard !bypass.contains(origin), !direct.contains(origin) else { return nil }
            switch origin.scheme {
            case .http: return try http.get()
            case .https: return try https.get()
            }
        }
    }
}
