import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// An upload whose client certificate the server refuses once it has read some of the body.
@Suite(.timeLimit(.minutes(1))) struct DelegatedCertificateUploadTests {
    private static let text = Array("first second".utf8)

    private static func stream() -> RequestBodyStream {
        RequestBodyStream(
            AsyncStream { continuation in
                continuation.yield(Array("first ".utf8))
                continuation.yield(Array("second".utf8))
                continuation.finish()
            })
    }

    private static func identity(_ name: String) -> ClientIdentity {
        ClientIdentity(
            certificates: [Array(name.utf8)], privateKey: .der([]),
            summary: CertificateSummary(
                subject: "CN=\(name)", issuer: "CN=test", names: [], notBefore: .distantPast, notAfter: .distantFuture,
                fingerprint: Array(name.utf8), publicKeyFingerprint: []))
    }

    /// The moment when a server asks for the certificate.
    enum Server: CaseIterable { case asksAtOnce, asksOnceItHasSeenTheRequest, neverTakesTheAnswer }

    /// Reads the body, then refuses the certificate, a given number of times.
    private struct Transport: HTTPTransport {
        let server: Server
        let refusals: Int
        let bodies = Box<[[UInt8]]>([])
        let capabilities: TransportCapabilities = [.streamingRequests, .streamingResponses, .clientCertificates]

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            let count = bodies.value.count
            if server == .asksAtOnce || server == .asksOnceItHasSeenTheRequest && count > 0 {
                _ = try await request.options.clientIdentity?.identity()
            }
            var bytes: [UInt8] = []
            do {
                let stream = try await request.body?.open().stream()
                while let chunk = try await stream?.next() { bytes += chunk }
            } catch {
                throw .wrapping(error, as: .bodyUnavailable, "The body is not there.")
            }
            bodies.update { $0.append(bytes) }
            guard count < refusals else {
                return TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody())
            }
            let isUnasked = server == .asksOnceItHasSeenTheRequest && count == 0 || server == .neverTakesTheAnswer
            throw ConversationError(
                isUnasked ? .clientCertificateRequired : .clientCertificateRefused, "It wants another certificate.")
        }

        func shutdown() async {}
    }

    /// A new certificate for each refusal.
    private struct Certificates: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.clientCertificate]

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            .present(DelegatedCertificateUploadTests.identity("\(challenge.previousFailureCount)"))
        }
    }

    private static func upload(
        _ transport: Transport, _ delegate: RecordingDelegate
    ) async -> Result<ConversationResponse, ConversationError> {
        let manager = testManager(transport) { $0.add(Certificates()) }
        do throws(ConversationError) {
            return .success(
                try await manager.upload(
                    for: HTTPRequest(.put, "https://h/"), from: .oneShot(length: 12, stream()), delegate: delegate))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: Server.allCases) func aNewStreamGoesWithTheNextCertificate(server: Server) async throws {
        var delegate = RecordingDelegate()
        delegate.body = { Self.stream() }
        let transport = Transport(server: server, refusals: 1)
        #expect(try await Self.upload(transport, delegate).get().status == .ok)
        #expect(transport.bodies.value == [Self.text, Self.text])
        #expect(delegate.calls.count { $0 == .newBodyStream } == 1)
        let passes = delegate.calls.compactMap { if case .sent(let progress) = $0 { progress.pass } else { nil } }
        #expect(passes == passes.sorted())
    }

    /// The second refusal is final, and the delegate is not asked for a stream that would not be sent.
    @Test(arguments: Server.allCases) func aRepeatedRefusalEndsTheQuestions(server: Server) async {
        var delegate = RecordingDelegate()
        delegate.body = { Self.stream() }
        let transport = Transport(server: server, refusals: 5)
        await #expect(throws: ConversationError.self) { try await Self.upload(transport, delegate).get() }
        #expect(transport.bodies.value.count == 2)
        #expect(delegate.calls.count { $0 == .newBodyStream } == 1)
    }

    @Test(arguments: Server.allCases) func withoutAStreamTheRefusalIsDelivered(server: Server) async {
        let transport = Transport(server: server, refusals: 1)
        let code = await failureCode { try await Self.upload(transport, RecordingDelegate()).get() }
        #expect(code == (server == .asksAtOnce ? .clientCertificateRefused : .clientCertificateRequired))
        #expect(transport.bodies.value.count == 1)
    }
}
