import HttpConversation
import NIOSSL
import Synchronization

/// The transport and the servers of a case.
struct CaseRun: Sendable {
    /// A capability that the case needs and the transport lacks.
    struct Missing: Error {
        let capabilities: TransportCapabilities
    }

    let test: ConformanceCase
    let wire: ConformanceWire
    private let makeTransport: @Sendable (ConformanceSetup) async throws -> any HTTPTransport

    init(
        _ test: ConformanceCase, wire: ConformanceWire,
        makeTransport: @escaping @Sendable (ConformanceSetup) async throws -> any HTTPTransport
    ) {
        self.test = test
        self.wire = wire
        self.makeTransport = makeTransport
    }

    // MARK: Servers

    /// Runs a server that answers each request, over any wire.
    func serve(_ handler: @escaping ServerExchange.Handler, _ body: @Sendable (Client) async throws -> Void)
        async throws
    {
        switch wire {
        case .http1: try await raw({ try await HTTP1Responder(connection: $0).run(handler) }, body)
        case .http2: try await frames({ try await HTTP2Responder(peer: $0).run(handler) }, body)
        case .inProcess:
            let transport = try await transport { try await handler(ServerExchange(inProcess: $0)) }
            try await use(transport) { try await body(Client($0, url: "http://127.0.0.1:1", server: nil)) }
        }
    }

    /// Runs a server of HTTP/1.1, byte by byte, with a certificate of the suite's authority if it uses TLS.
    func raw(
        tls: NIOSSLContext? = nil, host: String = "127.0.0.1", receiveBuffer: Int? = nil,
        _ script: @escaping RawServer.Script, _ body: @Sendable (Client) async throws -> Void
    ) async throws {
        let noted = Noted()
        try await use(transport()) { transport in
            try await noted.preferred {
                try await RawServer.run(tls: tls, receiveBuffer: receiveBuffer) { connection in
                    try await noted.noting { try await script(connection) }
                } _: { server in
                    let scheme = tls == nil ? "http" : "https"
                    try await body(Client(transport, url: "\(scheme)://\(host):\(server.port)", server: server))
                }
            }
        }
    }

    /// Runs a server of HTTP/2, frame by frame, starting after its SETTINGS.
    func frames(
        settings: [(UInt16, Int)] = [(3, 100)], _ script: @escaping @Sendable (HTTP2Peer) async throws -> Void,
        _ body: @Sendable (Client) async throws -> Void
    ) async throws {
        try await raw(
            tls: SuiteAuthority.context(protocols: ["h2"]), host: "localhost",
            { try await script(HTTP2Peer.accept($0, settings: settings)) }, body)
    }

    // MARK: The transport

    /// Runs `body` with a transport, for cases without a server or with several.
    func use(
        _ transport: any HTTPTransport, _ body: @Sendable (any HTTPTransport) async throws -> Void
    ) async throws {
        // Not waited for: other cases check that the shutdown ends.
        defer { Task { await transport.shutdown() } }
        try await body(transport)
    }

    func transport(
        _ answerer: @escaping @Sendable (TransportRequest) async throws -> ConformanceReply = { _ in .init() }
    ) async throws -> any HTTPTransport {
        let setup = ConformanceSetup(
            caseID: test.id, trustRoots: try SuiteAuthority.authority.get().pem, answerer: answerer)
        let transport = try await makeTransport(setup)
        let missing = test.needs.subtracting(transport.capabilities)
        guard missing.isEmpty else { throw Missing(capabilities: missing) }
        return transport
    }
}

/// The first mismatch of a server's script. It is thrown in place of the client's error that follows from it.
private final class Noted: Sendable {
    private let mismatch = Mutex<Mismatch?>(nil)

    func noting(_ script: () async throws -> Void) async throws {
        do { try await script() } catch let found as Mismatch {
            mismatch.withLock { $0 = $0 ?? found }
            throw found
        }
    }

    func preferred(_ body: () async throws -> Void) async throws {
        do { try await body() } catch { throw mismatch.withLock { $0 } ?? error }
        if let found = mismatch.withLock({ $0 }) { throw found }
    }
}

/// The authority of all certificates of the suite's servers.
enum SuiteAuthority {
    static let authority = Result { try TestAuthority() }

    static func context(protocols: [String] = ["http/1.1"]) throws -> NIOSSLContext {
        try authority.get().serverContext(protocols: protocols)
    }
}
