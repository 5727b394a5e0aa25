import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConversation

/// Creates the arguments of filters and credentials from a server's text.
enum Challenges {
    /// The first challenge of a `WWW-Authenticate` value.
    static func make(
        _ value: String, at url: String = "http://127.0.0.1/dir/index.html", refused: [any Credential] = []
    ) throws -> AuthenticationChallenge {
        let offered = try #require(ChallengeParser.parse(value).challenges.first)
        let target = try TargetURL(url)
        return AuthenticationChallenge(
            space: ProtectionSpace(origin: target.origin, method: offered.method, realm: offered.realm ?? ""),
            offered: offered, target: target,
            response: HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: value]),
            context: try context(for: url), sent: refused.last, previousFailureCount: refused.count, refused: refused)
    }

    /// The context of a conversation for a URL, which sends nothing.
    static func context(
        for url: String, providers: [any UsernamePasswordProvider] = []
    ) throws -> ConversationContext {
        var configuration = HttpConversationManager.Configuration()
        configuration.challengeFilters.add(UsernamePasswordFilter(providers: providers))
        return ConversationContext(
            target: try TargetURL(url), snapshot: ConfigurationSnapshot(configuration),
            transport: ScriptedTransport { _, _ in .init(.ok) }, parent: nil, extraObservers: [])
    }

    /// A request for a URL, as credentials see it.
    static func request(
        _ url: String = "http://127.0.0.1/dir/index.html", _ method: HTTPRequest.Method = .get,
        body: RequestBody? = nil
    ) throws -> ConversationRequest {
        try ConversationRequest(method: method, target: try TargetURL(url), body: body)
    }
}
