import HttpConversation
import HttpConversationConformance
import NIOSSL

/// The way of a request to its server: the proxy, the URL's scheme, and the version of HTTP.
struct ConnectionWay: CustomStringConvertible, Sendable {
    let proxy: ProxyServer.Kind?
    let isSecure: Bool
    let isHTTP2: Bool

    static let all = ([nil] + ProxyServer.Kind.all.map { $0 }).flatMap { proxy in
        [(false, false), (true, false), (true, true)].map {
            ConnectionWay(proxy: proxy, isSecure: $0.0, isHTTP2: $0.1)
        }
    }

    var scheme: String { isSecure ? "https" : "http" }

    /// Whether the proxy makes a tunnel; otherwise it reads the requests.
    var hasTunnel: Bool { proxy.map { $0 == .socks5 || isSecure } ?? false }

    var description: String {
        "\(scheme), \(isHTTP2 ? "HTTP/2" : "HTTP/1.1"), \(proxy.map { "proxy \($0.rawValue)" } ?? "direct")"
    }

    func route(_ port: Int) throws -> ProxyRoute? {
        try proxy.map { ProxyRoute(try ProxyServer($0, host: "127.0.0.1", port: port)) }
    }

    /// The server's TLS.
    ///
    /// - Parameter asks: whether it asks for a client certificate
    func context(_ authority: TestAuthority, asks: Bool) throws -> NIOSSLContext {
        var configuration = try authority.serverConfiguration()
        configuration.applicationProtocols = [isHTTP2 ? "h2" : "http/1.1"]
        if asks {
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        }
        return try NIOSSLContext(configuration: configuration)
    }
}
