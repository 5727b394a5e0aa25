import HTTPTypes
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import TestLandscape
import Testing

/// Conversations with the landscape's HTTP/2 origin.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTP2LandscapeTests {
    private static func run(
        connections: Int = 64, _ body: (Landscape, HttpConversationManager) async throws -> Void
    ) async throws {
        try await withLandscape { landscape async throws in
            let transport = NIOTransport.make {
                $0.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
                $0.maximumConnectionsPerOrigin = connections
            }
            try await body(landscape, HttpConversationManager(transport: transport))
        }
    }

    /// One connection carries as many exchanges as the server allows. The others wait, and each is answered once. With
    /// more connections, exchanges that wait long on a busy machine would get another one.
    @Test func aThousandStreamsAtOnce() async throws {
        try await Self.run(connections: 1) { landscape, manager in
            let gate = landscape.hold("/")
            let url = landscape.urlString(.multiplexed)
            let requests = Task {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<1200 {
                        group.addTask { try await manager.data(for: HTTPRequest(.post, url)).text }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            try await gate.waitForWaiters(1000)
            #expect(landscape.count(path: "/") == 1000)
            gate.release()
            let texts = try await requests.value
            #expect(texts == Array(repeating: "hello over HTTP/2\n", count: 1200))
            #expect(landscape.count(path: "/") == 1200)
            #expect(Set(landscape.requests(path: "/", origin: .multiplexed).map(\.connection)).count == 1)
        }
    }

    /// Requests that the server says it has not processed are retried. Other failures have an error of their own kind.
    @Test(
        arguments: [
            (StreamFault.goAway, nil, 2), (.lastAnswer, nil, 1), (.refused, nil, 2), (.misdirected, nil, 2),
            (.http1, nil, 2),
            (.reset, .http2StreamReset, 1), (.calm, .http2StreamReset, 1), (.stall, .timedOut, 1), (.cut, .bodyCut, 1),
            (.settings, .http2Failed, 1), (.pings, .http2Failed, 1),
        ] as [(StreamFault, ConversationError.Code?, Int)])
    func faults(fault: StreamFault, code: ConversationError.Code?, count: Int) async throws {
        try await Self.run { landscape, manager in
            manager.update { $0.idleTimeout = .seconds(1) }
            let path = "/fault/\(fault.rawValue)"
            let request = try HTTPRequest(.post, landscape.urlString(.multiplexed, path))
            do throws(ConversationError) {
                let response = try await manager.data(for: request, body: .text("body"))
                #expect(code == nil)
                #expect(response.status == .ok)
            } catch {
                #expect(error.code == code, "\(error)")
            }
            #expect(landscape.count(path: path) == count)
        }
    }

    @Test func anUploadThatTheServerDoesNotRead() async throws {
        try await Self.run { landscape, manager in
            manager.update { $0.idleTimeout = .seconds(1) }
            let request = try HTTPRequest(.put, landscape.urlString(.multiplexed, "/fault/window"))
            let body = RequestBody.bytes([UInt8](repeating: 1, count: 1 << 20))
            #expect(await failureCode { try await manager.data(for: request, body: body) } == .timedOut)
        }
    }
}
