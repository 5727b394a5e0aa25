import Foundation
import Testing

/// A proxy from Debian, and its log.
enum RealProxy: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case squidBasic, squidDigest, tinyproxy, microsocks

    static let user = TestUsers.User(name: "paula", password: "through-the-wall")

    var testDescription: String { rawValue }

    private var kind: ServerKind {
        switch self {
        case .squidBasic, .squidDigest: .squid
        case .tinyproxy: .tinyproxy
        case .microsocks: .microsocks
        }
    }

    /// Starts the proxy if it does not run.
    func running() async throws -> Running {
        let server = try await RealServers.shared.server(kind)
        let port = server.port(self == .squidDigest ? .second : .plain)
        return Running(
            server: server, address: "\(self == .microsocks ? "socks5h" : "http")://127.0.0.1:\(port)")
    }

    /// A running proxy.
    struct Running: Sendable {
        let server: RealServer
        let address: String

        /// The whole log. squid logs the credentials that it got, and the others log the clients.
        func log() throws -> String {
            let name =
                switch server.kind {
                case .squid: "received.log"
                case .tinyproxy: "tinyproxy.log"
                default: "output.log"
                }
            return try server.log(name).joined(separator: "\n")
        }

        /// Waits until the log names a connection to a port of this machine. squid logs it when it has ended.
        func logsConnection(to port: Int, of host: String = "127.0.0.1") async throws -> Bool {
            let (before, after) =
                switch server.kind {
                case .squid: ("CONNECT ", " 200 user=\(RealProxy.user.name)")
                case .tinyproxy: ("CONNECT ", " HTTP/1.1")
                default: ("connected to ", "")
                }
            for _ in 0..<500 {
                if try log().contains("\(before)\(host):\(port)\(after)") { return true }
                try await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }
}
