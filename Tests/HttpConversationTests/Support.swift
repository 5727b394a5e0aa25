import Foundation
import HTTPTypes
import HttpConversationTesting
import Synchronization

@testable import HttpConversation

/// A value that several closures of a test write to.
final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}

/// A filter of all four kinds made of closures.
struct TestFilter: RequestFilter, RedirectFilter, ChallengeFilter, ResponseFilter {
    var handles: Set<AuthenticationMethod> = [.basic]
    var onPrepare: @Sendable (inout ConversationRequest, ConversationContext) async throws -> Void = { _, _ in }
    var onAuthorize: @Sendable (inout ConversationRequest, ConversationContext) async throws -> Void = { _, _ in }
    var onRedirect: @Sendable (Redirect, ConversationContext) async throws -> RedirectVerdict = { _, _ in .follow }
    var onChallenge: @Sendable (AuthenticationChallenge, ConversationContext) async throws -> ChallengeAnswer = {
        _, _ in
        .notHandled
    }
    var onResponse: @Sendable (ReceivedResponse, ConversationContext) async throws -> ResponseVerdict = { _, _ in
        .proceed
    }

    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        try await onPrepare(&request, context)
    }

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        try await onAuthorize(&request, context)
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        try await onRedirect(redirect, context)
    }

    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer {
        try await onChallenge(challenge, context)
    }

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        try await onResponse(response, context)
    }
}

/// The context of a conversation in which nothing is sent.
func testContext(_ url: String = "http://h/") throws -> ConversationContext {
    ConversationContext(
        target: try TargetURL(url), snapshot: ConfigurationSnapshot(.init()),
        transport: ScriptedTransport { _, _ in .init(.ok) }, parent: nil, extraObservers: [])
}

/// A credential whose secret is its text.
struct TokenCredential: Credential {
    let token: String
    var directory = "/"

    var description: String { "token" }

    func hasSameSecret(as other: any Credential) -> Bool { (other as? TokenCredential)?.token == token }
    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? { self }
    func covers(_ target: TargetURL) -> Bool { target.path.hasPrefix(directory) }
    func authorization(for request: ConversationRequest) async throws -> String { "Basic \(token)" }
}

extension HTTPField.Name {
    static let apiKey = HTTPField.Name("X-API-Key") ?? .accept
}

extension TransportRequest {
    var line: String { "\(method.rawValue) \(target.absoluteString)" }
    var authorization: String? { headerFields[.authorization] }
}
