/// Which requests go through which proxy. What is configured is used or the request fails: never gone around (security rule
/// S25).
public struct ProxySettings: Sendable {
    /// Nil where no request goes through a proxy: one look, and little to copy.
    private let rules: Rules?

    private init(_ rules: Rules?) { self.rules = rules }

    /// No proxy, whatever the environment says.
    public static let none = ProxySettings(nil)

    /// One proxy for every request.
    public static func always(_ proxy: ProxyServer) -> ProxySettings { ProxySettings(http: proxy, https: proxy) }

    /// A proxy for each scheme.
    ///
    /// - Parameters:
    ///   - http: for `http` URLs; nil: straight to their servers
    ///   - https: for `https` URLs
    ///   - bypass: what is reached without, whatever its scheme
    public init(http: ProxyServer?, https: ProxyServer?, bypass: ProxyBypassList = ProxyBypassList()) {
        self.init(http: .success(http), https: .success(https), bypass: bypass)
    }

    /// - Parameters:
    ///   - http: a failure is that of each request that it is for
    ///   - https: likewise
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

    /// Whether no request goes through a proxy.
    public var isEmpty: Bool { rules == nil }

    /// The proxy for one request; nil: straight to its server.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration`` where what is configured for it is no proxy
    public func proxy(for target: TargetURL) throws(ConversationError) -> ProxyServer? {
        guard let rules else { return nil }
        return try rules.proxy(for: target.origin)
    }

    /// The same proxies, one of them with a login instead of what was given along with it. A login is for the proxy that was
    /// named when it was obtained, and for no other (security rule S31).
    ///
    /// - Parameters:
    ///   - login: for the proxy
    ///   - proxy: the proxy; its own login does not matter
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

    /// The proxies that can be used, each once.
    package var servers: [ProxyServer] {
        guard let rules else { return [] }
        let found = [try? rules.http.get(), try? rules.https.get()].compactMap { $0 }
        return found.count == 2 && found[0].isSame(as: found[1]) ? [found[0]] : found
    }

    /// The same proxies but for requests to some origins, which are reached in another way that was named for them.
    package func without(_ origins: Set<Origin>) -> ProxySettings {
        guard let rules else { return self }
        return ProxySettings(
            Rules(
                http: rules.http, https: rules.https, bypass: rules.bypass,
                direct: rules.direct.union(origins)))
    }

    /// The proxies by scheme and what goes around them, for programs that are told in their own words; nil: none.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration`` where one of them is no proxy
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

        init(
            http: Result<ProxyServer?, ConversationError>, https: Result<ProxyServer?, ConversationError>,
            bypass: ProxyBypassList, direct: Set<Origin> = []
        ) {
            self.direct = direct
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
