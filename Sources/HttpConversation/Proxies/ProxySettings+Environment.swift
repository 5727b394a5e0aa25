import HttpConvPlatform

extension ProxySettings {
    /// The settings of this process's environment, read once: see ``environment(_:bypass:)``. The default. A transport
    /// that uses the system's proxies instead leaves these out: ``TransportCapabilities/systemProxies``.
    public static let environment = environment(ProcessInfo.processInfo.environment).asDefault

    /// The settings of environment variables, by curl's rules.
    ///
    /// - `http_proxy` is for http, in lower case only: a CGI program finds the client's `Proxy` field in `HTTP_PROXY`.
    /// - `https_proxy` or `HTTPS_PROXY` is for https.
    /// - `all_proxy` or `ALL_PROXY` is the default for both.
    /// - `no_proxy` or `NO_PROXY` lists the hosts that bypass all of them: a ``ProxyBypassList``.
    ///
    /// Requests to this machine (`localhost` and the names below it, 127.0.0.0/8, `::1`) bypass these proxies, in
    /// contrast to curl: at the proxy, `localhost` would be another machine, which must not get what is meant for this
    /// one (security rule S11). To send them through a proxy, name it in the settings.
    ///
    /// The name in lower case wins; an empty value counts as unset. With an invalid value, its requests fail with
    /// ``ConversationError/Code/invalidConfiguration`` instead of bypassing the proxy (security rule S25).
    ///
    /// - Parameters:
    ///   - variables: an environment
    ///   - bypass: replaces `no_proxy`
    public static func environment(_ variables: [String: String], bypass: ProxyBypassList? = nil) -> ProxySettings {
        environment(variables, (bypass ?? ProxyBypassList(environment: variables)).withLoopback)
    }

    /// The same for code that also sends requests to this machine through these proxies, as libcurl does.
    package static func environmentWithLoopback(_ variables: [String: String]) -> ProxySettings {
        environment(variables, ProxyBypassList(environment: variables))
    }

    private static func environment(_ variables: [String: String], _ bypass: ProxyBypassList) -> ProxySettings {
        ProxySettings(
            http: proxy(of: ["http_proxy", "all_proxy", "ALL_PROXY"], in: variables),
            https: proxy(of: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], in: variables),
            bypass: bypass)
    }

    private static func proxy(
        of names: [String], in variables: [String: String]
    ) -> Result<ProxyServer?, ConversationError> {
        for name in names {
            guard let text = variables[name], !text.isEmpty else { continue }
            do throws(ConversationError) {
                return .success(try ProxyServer(text))
            } catch {
                return .failure(
                    ConversationError(
                        .invalidConfiguration,
                        "The environment variable \(name) holds no proxy that could be used. \(error.message)"))
            }
        }
        return .success(nil)
    }
}

extension ProxyBypassList {
    /// The list in an environment's `no_proxy`, else in `NO_PROXY`.
    public init(environment variables: [String: String]) {
        let lists = ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }
        self.init(lists.first { !$0.isEmpty } ?? "")
    }
}
