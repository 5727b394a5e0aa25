import HTTPTypes
import HttpConversationTesting
import Synchronization

@testable import HttpConversation

/// A proxy that wants a token, and the servers behind it, without a network. It records every request.
final class ScriptedProxy: Sendable {
    /// One request, and the fields that the proxy got.
    struct Seen: Sendable {
        let target: TargetURL
        /// The value of `Proxy-Authorization` in the request in absolute form, or in the `CONNECT`.
        let atProxy: String?
        let source: ProxyAuthorizationSource?
        let authorization: String?
        /// The value that a server behind a tunnel would get; always nil.
        let inside: String?
    }

    private let accepted: String?
    private let challenge: String
    private let state = Mutex<[Seen]>([])
    private let inner: @Sendable (TransportRequest) -> ScriptedTransport.Answer

    /// - Parameters:
    ///   - accepted: the right value of `Proxy-Authorization`; nil: none is right
    ///   - inner: the servers; they answer 200 by default
    init(
        accepting accepted: String?, challenge: String = "Basic realm=P",
        _ inner: @escaping @Sendable (TransportRequest) -> ScriptedTransport.Answer = { _ in .init(.ok) }
    ) {
        self.accepted = accepted
        self.challenge = challenge
        self.inner = inner
    }

    var seen: [Seen] { state.withLock { $0 } }
    /// The values that the proxy got, in order.
    var values: [String?] { seen.map(\.atProxy) }

    func transport() -> ScriptedTransport {
        ScriptedTransport(capabilities: [.streamingRequests, .streamingResponses, .proxies]) {
            request, _ throws(ConversationError) in
            try await self.answer(request)
        }
    }

    func answer(_ request: TransportRequest) async throws(ConversationError) -> ScriptedTransport.Answer {
        let isTunnel = request.target.origin.scheme == .https
        let field = request.headerFields[.proxyAuthorization]
        var value = field
        if isTunnel {
            do {
                value = try await request.options.proxy?.authorization?.authorization(for: request.target.origin)
            } catch { throw .wrapping(error, as: .internalInconsistency, "") }
        }
        let seen = Seen(
            target: request.target, atProxy: value, source: request.options.proxy?.authorization,
            authorization: request.authorization, inside: isTunnel ? field : nil)
        state.withLock { $0.append(seen) }
        if value == accepted { return inner(request) }
        let refusal = ScriptedTransport.Answer(
            .proxyAuthenticationRequired,
            [.proxyAuthenticate: challenge, .wwwAuthenticate: "Basic realm=S", .setCookie: "p=1; Path=/"],
            body: "the proxy's page")
        return isTunnel ? refusal.fromProxy() : refusal
    }
}

/// Answers proxies' challenges with tokens, one after the other.
struct ProxyTokens: ChallengeFilter {
    var handles: Set<AuthenticationMethod> = [.basic]
    var isForProxies = true
    let tokens: [String]
    var asked = Box<[AuthenticationChallenge]>([])
    private let persistence: CredentialPersistence
    private let hold: @Sendable (AuthenticationChallenge) async -> Void

    /// - Parameter hold: awaited before an answer is given
    init(
        _ tokens: String..., persistence: CredentialPersistence = .session,
        hold: @escaping @Sendable (AuthenticationChallenge) async -> Void = { _ in }
    ) {
        self.tokens = tokens
        self.persistence = persistence
        self.hold = hold
    }

    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer {
        asked.update { $0.append(challenge) }
        await hold(challenge)
        guard challenge.previousFailureCount < tokens.count else { return .notHandled }
        return .use(
            TokenCredential(token: tokens[challenge.previousFailureCount], directory: "/nowhere"), persistence)
    }
}

extension ProxyServer {
    /// A proxy at a host that never receives anything.
    static func testing(
        _ kind: Kind = .http, _ host: String = "proxy", login: ProxyLogin? = nil
    ) throws -> ProxyServer { try ProxyServer(kind, host: host, port: 3128, login: login) }
}
