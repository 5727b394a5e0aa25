#if os(Linux)
import HttpConvAuthFlows
import HttpConversation

/// Makes the browser use the conversation's proxies, and no others (security rule S25).
struct BrowserProxy: Sendable {
    /// The options of the command line. They contain no password.
    let arguments: [String]

    private init(_ arguments: [String]) { self.arguments = arguments }

    /// Direct connections, whatever the desktop's settings say.
    static let none = BrowserProxy(["--no-proxy-server"])

    /// - Parameters:
    ///   - settings: the conversation's settings
    ///   - kept: the servers that the browser must not reach by itself
    /// - Throws: ``ConversationError`` for an invalid proxy; ``WebLoginError`` for a proxy that the browser cannot use
    init(_ settings: ProxySettings, kept: KeptConnections = KeptConnections(ConnectionPolicy())) throws {
        guard !kept.isEverything, let parts = try settings.parts() else {
            self = .none
            return
        }
        let (http, https) = (try parts.http.map(Self.address), try parts.https.map(Self.address))
        let servers =
            http == https
            ? http ?? ""
            : [http.map { "http=\($0)" }, https.map { "https=\($0)" }].compactMap { $0 }.joined(separator: ";")
        self.init(["--proxy-server=\(servers)", "--proxy-bypass-list=\(Self.rules(parts.bypass, kept))"])
    }

    private static func address(_ proxy: ProxyServer) throws(WebLoginError) -> String {
        guard proxy.kind != .socks5 || proxy.login == nil else {
            throw WebLoginError(
                .invalidConfiguration,
                "Chromium has no way to tell the SOCKS proxy \(proxy) a password: log in with --web terminal, or use an HTTP proxy."
            )
        }
        return proxy.description
    }

    /// The bypass rules. A name also covers its subdomains. The browser's own rule that loopback bypasses proxies is
    /// removed.
    private static func rules(_ list: ProxyBypassList, _ kept: KeptConnections) -> String {
        let names = list.names.sorted().flatMap { [$0, "*.\($0)"] }
        // Later rules take precedence.
        return (["<-loopback>"] + names + list.ranges.map(\.description) + kept.bypass).joined(separator: ";")
    }
}
#endif
