import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Filters that need capabilities that the transport lacks.
@Suite(.timeLimit(.minutes(1))) struct CapabilityTests {
    /// A filter of all kinds with required capabilities.
    private struct Demanding: RequestFilter, RedirectFilter, ChallengeFilter, ResponseFilter {
        var requiredCapabilities: TransportCapabilities = [.streamingResponses, .clientCertificates]
        let handles: Set<AuthenticationMethod> = []

        func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict { .follow }
        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer { .notHandled }
        func inspect(
            _ response: ReceivedResponse, in context: ConversationContext
        ) async throws -> ResponseVerdict { .proceed }
    }

    private static func add(
        _ kind: String, _ filter: Demanding, to configuration: inout HttpConversationManager.Configuration
    ) {
        switch kind {
        case "request": configuration.requestFilters.add(filter, id: "mine")
        case "redirect": configuration.redirectFilters.add(filter, id: "mine")
        case "challenge": configuration.challengeFilters.add(filter, id: "mine")
        default: configuration.responseFilters.add(filter, id: "mine")
        }
    }

    @Test(arguments: ["request", "redirect", "challenge", "response"])
    func missingCapabilitiesFailTheStart(_ kind: String) async throws {
        let observer = RecordingObserver()
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { configuration in
            Self.add(kind, Demanding(), to: &configuration)
            configuration.observers.add(observer)
        }
        for failure in [
            await #expect(throws: ConversationError.self) {
                try await manager.data(for: HTTPRequest(.get, "http://h/"))
            },
            #expect(throws: ConversationError.self) { try manager.validate() },
        ] {
            let error = try #require(failure)
            #expect(error.code == .invalidConfiguration)
            #expect(error.message.contains("mine") && error.message.contains("clientCertificates"), "\(error)")
            #expect(error.message.contains("ScriptedTransport") && !error.message.contains("streaming"), "\(error)")
        }
        #expect(transport.requests.isEmpty)
        #expect(observer.violations == [])
        // Without the filter, or with fewer required capabilities, the same manager works.
        manager.update { configuration in
            Self.add(kind, Demanding(requiredCapabilities: .streamingResponses), to: &configuration)
        }
        try manager.validate()
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(transport.requests.count == 1)
    }

    /// A child conversation has filters of its own.
    @Test func childrenAreCheckedToo() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let code = Box<ConversationError.Code?>(nil)
        let manager = testManager(transport) { configuration in
            configuration.responseFilters.add(
                TestFilter(onResponse: { _, context in
                    do throws(ConversationError) {
                        _ = try await context.start(HTTPRequest(.get, "http://h/child")) { child in
                            Self.add("request", Demanding(), to: &child)
                        }
                    } catch { code.update { $0 = error.code } }
                    return .proceed
                }))
        }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/"))
        #expect(code.value == .invalidConfiguration)
        #expect(transport.requests.count == 1)
    }
}
