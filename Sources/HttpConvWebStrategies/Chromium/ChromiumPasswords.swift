#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import Synchronization

/// Answers 401s of servers and 407s of proxies in the browser with the conversation's passwords for them.
final class ChromiumPasswords: Sendable {
    private let context: ConversationContext
    private let connection: DevToolsConnection
    private let isHeadless: Bool
    /// The logins that were used for each space in this login. None is used again.
    private let given = Mutex<[ProtectionSpace: [UsernamePassword]]>([:])
    private static let maximumFailures = 2

    init(context: ConversationContext, connection: DevToolsConnection, isHeadless: Bool) {
        self.context = context
        self.connection = connection
        self.isHeadless = isHeadless
    }

    /// The job that answers a `Fetch.authRequired`.
    func answer(_ event: DevToolsEvent) -> (@Sendable () async throws -> Void)? {
        guard let request = event.parameters["requestId"]?.text else { return nil }
        return { [self] in
            let answer = try await answer(to: challenge(event.parameters))
            connection.send(
                "Fetch.continueWithAuth",
                ["requestId": .string(request), "authChallengeResponse": .object(answer)], in: event.session)
        }
    }

    /// Returns nil unless the request's own server asks, or the proxy that is configured for it (security rule S5).
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
            // In a window, the browser asks the person.
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
