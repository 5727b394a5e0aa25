#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import Synchronization

/// Translates the browser's questions for passwords, 401s of servers and 407s of proxies, into events of the policy,
/// and its actions into answers.
final class ChromiumPasswords: Sendable {
    /// A request in a protection space: the browser asks again for the same one if its login was refused.
    private struct Asker: Hashable {
        let request: String
        let space: ProtectionSpace
    }

    private let context: ConversationContext
    private let connection: DevToolsConnection
    private let policy: SharedPolicy
    /// The number of logins that each request has got.
    private let logins = Mutex<[Asker: Int]>([:])
    private static let maximumAskers = 1_000

    init(context: ConversationContext, connection: DevToolsConnection, policy: SharedPolicy) {
        self.context = context
        self.connection = connection
        self.policy = policy
    }

    /// The job that answers a `Fetch.authRequired`.
    func answer(_ event: DevToolsEvent) -> (@Sendable () async throws -> Void)? {
        guard let request = event.parameters["requestId"]?.text else { return nil }
        return { [self] in
            let answer = try await answer(event.parameters, to: request)
            connection.send(
                "Fetch.continueWithAuth",
                ["requestId": .string(request), "authChallengeResponse": .object(answer)], in: event.session)
        }
    }

    private func answer(_ parameters: JSONValue, to request: String) async throws -> [String: JSONValue] {
        guard let (space, target) = Self.challenge(parameters) else { return ["response": .string("CancelAuth")] }
        let asker = Asker(request: request, space: space)
        let challenge = WebLoginPolicy.Challenge(
            from: space.origin, isProxy: space.isProxy, method: space.method, realm: space.realm, target: target,
            previousFailures: failures(of: asker))
        var action = policy.decide(.challenge(challenge))
        if case .askProviders(let question, let failures) = action {
            let given = try await context.answer(to: question, previousFailures: failures)
            action = policy.decide(.answer(given, to: question))
        }
        switch action {
        case .fail(let error): throw error
        case .askPerson: return ["response": .string("Default")]
        case .logIn(let login):
            count(asker)
            return [
                "response": .string("ProvideCredentials"), "username": .string(login.username),
                "password": .string(login.password.value),
            ]
        default: return ["response": .string("CancelAuth")]
        }
    }

    private func count(_ asker: Asker) {
        logins.withLock { if $0.count < Self.maximumAskers || $0[asker] != nil { $0[asker, default: 0] += 1 } }
    }

    /// The number of refused logins; nil if they are not counted.
    private func failures(of asker: Asker) -> Int? {
        logins.withLock { $0[asker] ?? ($0.count < Self.maximumAskers ? 0 : nil) }
    }

    private static func challenge(_ parameters: JSONValue) -> (space: ProtectionSpace, target: TargetURL)? {
        guard let challenge = parameters["authChallenge"],
            let source = challenge["source"]?.text, ["Server", "Proxy"].contains(source),
            let origin = challenge["origin"]?.text, let asking = try? TargetURL(origin),
            let url = parameters["request"]?["url"]?.text, let target = try? TargetURL(url)
        else { return nil }
        // The browser knows no other schemes, except by a policy of the machine.
        let method = AuthenticationMethod(challenge["scheme"]?.text ?? "")
        guard [.basic, .digest].contains(method) else { return nil }
        let space = ProtectionSpace(
            origin: asking.origin, method: method, realm: challenge["realm"]?.text ?? "", isProxy: source == "Proxy")
        return (space, target)
    }
}
#endif
