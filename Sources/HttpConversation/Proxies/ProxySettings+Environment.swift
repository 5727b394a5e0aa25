import Foundation

extension ProxySettings {
    /// Those of this process's environment, read once: see ``environment(_:bypass:)``.
    public static let environment = environment(ProcessInfo.processInfo.environment)

    /// What environment variables say, by curl's rules.
    ///
    /// - `http_proxy` is for http, in lower case only: a CGI program finds the `Proxy` field of whoever asks it in
    ///   `HTTP_PROXY`.
    /// - `https_proxy` or `HTTPS_PROXY` is for https.
    /// - `all_proxy` or `ALL_PROXY` is for either where that has none of its own.
    /// - `no_proxy` or `NO_PROXY` is what goes around all of them: a ``ProxyBypassList``.
    ///
    /// The name in lower case wins; an empty value is none. A value that is no proxy fails the requests that it is for with
    /// ``ConversationError/Code/invalidConfiguration``: they do not go without (security rule S25).
    ///
    /// - Parameters:
    ///   - variables: an environment
    ///   - bypass: instead of what it says in `no_proxy`
    public static func environment(_ variables: [String: String], bypass: ProxyBypassList? = nil) -> ProxySettings {
        ProxySettings(
            http: proxy(of: ["http_proxy", "all_proxy", "ALL_PROXY"], in: variables),
            https: proxy(of: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], in: variables),
            bypass: bypass ?? ProxyBypassList(environment: variables))
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
    /// What an environment says in `no_proxy`, else in `NO_PROXY`.
    public init(environment variables: [String: String]) {
        let lists = ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }
        self.init(lists.first { !$0.isEmpty } ?? "")
    }
}
