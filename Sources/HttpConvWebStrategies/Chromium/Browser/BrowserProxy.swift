#if os(Linux)
import HttpConvAuthFlows
import HttpConversation

/// Tells the browser to go through the conversation's proxies, and through no others (security rule S25).
struct BrowserProxy: Sendable {
    /// Options of the command line; no password is among them.
    let arguments: [String]

    private init(_ arguments: [String]) { self.arguments = arguments }

    /// Straight to the servers, whatever the desktop's settings say.
    static let none = BrowserProxy(["--no-proxy-server"])

    /// - Throws: ``ConversationError`` where what is configured is no proxy; ``WebLoginError`` for one that the browser cannot
    ///   use
    ///
    /// - Parameters:
    ///   - settings: the conversation's
    ///   - kept: the servers that the browser must not reach by itself
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

    /// A name stands for what is below it, too; the browser's own rule that loopback goes around proxies is taken back.
    private static func rules(_ list: ProxyBypassList, _ kept: KeptConnections) -> String {
        let names = list.names.sorted().flatMap { [$0, "*.\($0)"] }
        // Later rules count more.
        return (["<-loopback>"] + names + list.ranges.map(\.description) + kept.bypass).joined(separator: ";")
    }
}
#endif
