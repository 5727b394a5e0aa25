#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// Translates the browser's questions for passwords, 401s of servers and 407s of proxies, into events of the policy, and
/// its actions into answers.
struct ChromiumPasswords: Sendable {
    let context: ConversationContext
    let connection: DevToolsConnection
    let policy: SharedPolicy

    /// The job that answers a `Fetch.authRequired`.
    func answer(_ event: DevToolsEvent) -> (@Sendable () async throws -> Void)? {
        guard let request = event.parameters["requestId"]?.text else { return nil }
        return { [self] in
            let answer = try await answer(event.parameters)
            connection.send(
                "Fetch.continueWithAuth",
                ["requestId": .string(request), "authChallengeResponse": .object(answer)], in: event.session)
        }
    }

    private func answer(_ parameters: JSONValue) async throws -> [String: JSONValue] {
        guard let challenge = Self.challenge(parameters),
            case .askProviders(let question, let failures) = policy.decide(.challenge(challenge))
        else { return ["response": .string("CancelAuth")] }
        let given = try await context.answer(to: question, previousFailures: failures)
        switch policy.decide(.answer(given, to: question)) {
        case .fail(let error): throw error
        case .askPerson: return ["response": .string("Default")]
        case .logIn(let login):
            return [
                "response": .string("ProvideCredentials"), "username": .string(login.username),
                "password": .string(login.password.value),
            ]
        default: return ["response": .string("CancelAuth")]
        }
    }

    private static func challenge(_ parameters: JSONValue) -> WebLoginPolicy.Challenge? {
        guard let challenge = parameters["authChallenge"],
            let source = challenge["source"]?.text, ["Server", "Proxy"].contains(source),
            let origin = challenge["origin"]?.text, let asking = try? TargetURL(origin),
            let url = parameters["request"]?["url"]?.text, let target = try? TargetURL(url)
        else { return nil }
        return WebLoginPolicy.Challenge(
            from: asking.origin, isProxy: source == "Proxy",
            method: AuthenticationMethod(challenge["scheme"]?.text ?? ""),
            realm: challenge["realm"]?.text ?? "", target: target)
    }
}
#endif
