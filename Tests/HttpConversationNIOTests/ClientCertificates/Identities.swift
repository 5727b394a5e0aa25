import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting

/// A provider that runs the test's closure and counts its calls.
struct CountingIdentities: ClientCertProvider {
    let asked = Counter()
    let answer: @Sendable (AuthenticationChallenge) async throws -> ProvidedIdentity

    var isInteractive: Bool { false }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        asked.add()
        return try await answer(challenge)
    }
}

extension NIOTransport {
    /// A transport that trusts one authority.
    static func trusting(_ authority: TestAuthority, newestVersion: ProtocolVersion = .http2) -> NIOTransport {
        make {
            $0.tls.trustRoots = .pem(authority.pem)
            $0.newestVersion = newestVersion
        }
    }

    /// A manager with its own session.
    func manager(
        _ providers: CountingIdentities..., observer: RecordingObserver? = nil,
        change: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        for provider in providers { configurator.add(clientCertificate: provider) }
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        if let observer { configuration.observers.add(observer) }
        change(&configuration)
        return HttpConversationManager(transport: self, configuration: configuration)
    }
}

extension HttpConversationManager {
    /// The text of a resource.
    func text(_ url: String) async throws -> String { try await data(for: HTTPRequest(.get, url)).text }

    /// The error that a conversation ends with.
    func failure(_ url: String, body: RequestBody? = nil) async -> ConversationError? {
        do throws(ConversationError) {
            _ = try await data(for: HTTPRequest(body == nil ? .get : .post, url), body: body)
            return nil
        } catch {
            return error
        }
    }
}
