#if os(Linux)
import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// Answers 401s, and proxies' 407s, that the browser meets with what the conversation knows for whoever asks.
final class ChromiumPasswords: Sendable {
    private let context: ConversationContext
    private let connection: DevToolsConnection
    private let isHeadless: Bool
    /// What was given for each space in this login: none of it is given again.
    private let given = Mutex<[ProtectionSpace: [UsernamePassword]]>([:])
    private static let maximumFailures = 2

    init(context: ConversationContext, connection: DevToolsConnection, isHeadless: Bool) {
        self.context = context
        self.connection = connection
        self.isHeadless = isHeadless
    }

    /// The work that answers a `Fetch.authRequired`.
    func answer(_ event: DevToolsEvent) -> (@Sendable () async throws -> Void)? {
        guard let request = event.parameters["requestId"]?.text else { return nil }
        return { [self] in
            let answer = try await answer(to: challenge(event.parameters))
            connection.send(
                "Fetch.continueWithAuth",
                ["requestId": .string(request), "authChallengeResponse": .object(answer)], in: event.session)
        }
    }

    /// Nil where neither the server of the request asks, nor the proxy that is configured for it (security rule S5).
    private func challenge(_ parameters: JSONValue) -> WebViewChallenge? {
        guard let challenge = parameters["authChallenge"],
            let origin = challenge["origin"]?.text, let asking = try? TargetURL(origin),
            let url = parameters["request"]?["url"]?.text, let target = try? TargetURL(url)
        else { return nil }
        var proxy: ProxyServer?
        if challenge["source"]?.text == "Proxy" {
            proxy = try? context.configuration.proxies.proxy(for: target)
            guard proxy?.origin == asking.origin else { return nil }
        } else {
            guard challenge["source"]?.text == "Server", target.origin == asking.origin else { return nil }
        }
        return WebViewChallenge(
            target: target, method: AuthenticationMethod(challenge["scheme"]?.text ?? ""),
            realm: challenge["realm"]?.text ?? "", proxy: proxy)
    }

    private func answer(to challenge: WebViewChallenge?) async throws -> [String: JSONValue] {
        let cancel: [String: JSONValue] = ["response": .string("CancelAuth")]
        guard let challenge else { return cancel }
        let before = given.withLock { $0[challenge.space] ?? [] }
        guard before.count < Self.maximumFailures else { return cancel }
        switch try await context.answer(to: challenge, previousFailures: before.count) {
        case .cancel:
            throw WebLoginError(.cancelled, "The question for a password for \(challenge.space) was cancelled.")
        case .none:
            // In a window the browser asks the person.
            return isHeadless ? cancel : ["response": .string("Default")]
        case .credential(let login, _):
            let isNew = given.withLock { given in
                guard given[challenge.space]?.contains(login) != true else { return false }
                given[challenge.space, default: []].append(login)
                return true
            }
            guard isNew else { return cancel }
            return [
                "response": .string("ProvideCredentials"), "username": .string(login.username),
                "password": .string(login.password.value),
            ]
        }
    }
}
#endif
