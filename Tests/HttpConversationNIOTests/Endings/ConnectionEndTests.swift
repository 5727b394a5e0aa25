import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConversationNIO

/// All ways in which a connection can end, in each phase, over each way to a server (security rule S30). The waiting
/// exchange ends at once with a typed error; after silence it ends by the limit of that phase.
@Suite(.timeLimit(.minutes(2))) struct ConnectionEndTests {
    @Test(arguments: ConnectionPhase.allCases, ConnectionEnd.allCases)
    func everyEndOfAConnectionEndsTheExchange(phase: ConnectionPhase, end: ConnectionEnd) async throws {
        let authority = try TestAuthority()
        for way in ConnectionWay.all where phase.exists(way, end) {
            let transport = NIOTransport.make {
                $0.tls.trustRoots = .pem(authority.pem)
                $0.expectContinueThreshold = phase == .expectation || phase == .expectedUpload ? 1 : .max
                $0.continueTimeout = .seconds(60)
            }
            if phase == .connecting {
                try await neverConnected(end, way, transport)
            } else {
                let server = EndingServer(phase: phase, end: end, way: way, authority: authority)
                try await RawServer.run(script: server.serve) {
                    try await check(phase, end, way, transport, $0.port)
                }
            }
            await transport.shutdown()
        }
    }

    private func neverConnected(_ end: ConnectionEnd, _ way: ConnectionWay, _ transport: NIOTransport) async throws {
        if end == .silence {
            let listener = try SilentListener(accepts: false)
            try await check(.connecting, end, way, transport, listener.port)
            return withExtendedLifetime(listener) {}
        }
        let port = try await RawServer.run { _ in
        } _: {
            $0.port
        }
        try await check(.connecting, end, way, transport, port)
    }

    private func check(
        _ phase: ConnectionPhase, _ end: ConnectionEnd, _ way: ConnectionWay, _ transport: NIOTransport, _ port: Int
    ) async throws {
        let url = "\(way.scheme)://127.0.0.1:\(port)/"
        let route = try way.route(port)
        let gate = Gate()
        defer { gate.open() }
        func failure(_ limit: Duration?) async -> ConversationError? {
            let body = phase.body(gate)
            return await transport.failure(body == nil ? .get : .put, url, body: body) {
                $0.proxy = route
                if phase == .certificate { $0.clientIdentity = .slow }
                // An exchange that runs into one of these limits has not noticed the end.
                $0.connectTimeout = .seconds(30)
                $0.idleTimeout = .seconds(30)
                if let limit { if phase.isConnecting { $0.connectTimeout = limit } else { $0.idleTimeout = limit } }
            }
        }
        if phase == .idle {
            let first = await failure(nil)
            #expect(first == nil, "\(way)")
        }
        let error = await failure(end == .silence ? .milliseconds(300) : nil)
        guard end == .silence else {
            let codes = phase.codes(way)
            if codes.isEmpty {
                #expect(error == nil, "\(way): \(String(describing: error))")
            } else {
                #expect(error.map { codes.contains($0.code) } == true, "\(way): \(String(describing: error))")
            }
            return
        }
        #expect(error?.code == .timedOut, "\(way): \(String(describing: error))")
        let limit = phase.isConnecting ? "connect timeout" : "idle timeout"
        #expect(error?.message.contains(limit) == true, "\(way): \(String(describing: error))")
    }
}

extension ClientIdentitySource {
    /// A source whose answer does not come in time.
    fileprivate static var slow: ClientIdentitySource {
        ClientIdentitySource {
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
    }
}
