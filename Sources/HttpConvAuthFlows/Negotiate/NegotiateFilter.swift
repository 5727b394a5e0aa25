import HttpConversation
import Synchronization

/// Answers Negotiate challenges (RFC 4559) with the Kerberos tickets of its providers.
///
/// Without a ticket there is no answer, and another challenge of the response may get one. Servers may know the person
/// by the connection from then on, so a session's exchanges with them have connections of their own.
struct NegotiateFilter: ChallengeFilter {
    let handles: Set<AuthenticationMethod> = [.negotiate]
    let isForProxies: Bool

    private let providers: [any NegotiateProvider]
    /// Separates the steps of filters with different providers.
    private let flow: FlowIdentity

    init(providers: [any NegotiateProvider], flow: FlowIdentity, isForProxies: Bool = false) {
        self.providers = providers
        self.flow = flow
        self.isForProxies = isForProxies
    }

    /// A proxy's connections are kept apart by the login that they were made with.
    var requiredCapabilities: TransportCapabilities { isForProxies ? [] : .connectionOwners }

    func bindsConnections(to destination: CredentialDestination) -> Bool {
        !isForProxies && providers.contains { $0.allows(destination) }
    }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard challenge.method == .negotiate,
            let index = providers.firstIndex(where: { $0.allows(challenge.destination) })
        else { return .notHandled }
        if let sent = challenge.sent as? NegotiateCredential, sent.isContinued(by: challenge.offered) {
            return .after(further(sent, challenge))
        }
        let provider = providers[index]
        return .after(
            ticket(provider, index, challenge).map { ticket in
                guard case .present(let client) = ticket else { return .notHandled }
                let credential = NegotiateCredential(client, for: challenge, of: provider)
                // The same ticket would be refused again.
                if challenge.refused.contains(where: { $0.hasSameSecret(as: credential) }) { return .notHandled }
                // A proxy asks each request, a server may know the connection.
                return .use(credential, challenge.proxy == nil ? .conversation : .session)
            })
    }

    // MARK: The ticket

    /// The result of looking for a ticket.
    private enum Ticket: Sendable {
        case present(KerberosClient)
        case missing
    }

    private struct TicketKey: Hashable, Sendable {
        let flow: FlowIdentity
        let space: ProtectionSpace
        let index: Int
    }

    /// A step that gets the ticket for a service. Conversations with the same challenge share it.
    private func ticket(
        _ provider: any NegotiateProvider, _ index: Int, _ challenge: AuthenticationChallenge
    ) -> ConversationStep<Ticket> {
        let key = TicketKey(flow: flow, space: challenge.space, index: index)
        return ConversationStep(key, policy: StepPolicy(remembers: .outcomes)) { context in
            let ask = { @Sendable in try await provider.login(for: challenge) }
            guard let login = provider.isInteractive ? try await context.interact(ask) : try await ask() else {
                return .missing
            }
            let client = challenge.session.flowState { KerberosClients() }.client(for: login)
            do {
                _ = try await client.begin(
                    at: challenge.space.origin.host, bindings: nil, within: context.configuration.connectTimeout,
                    clock: context.configuration.clock)
                context.notify(.ticketGiven(challenge.space, principal: login.principal))
                return .present(client)
            } catch let error as KerberosError {
                context.notify(.ticketUnavailable(challenge.space, reason: error.message))
                return .missing
            }
        }
    }

    private struct FurtherKey: Hashable, Sendable {
        let conversation: ConversationID
    }

    /// A step that makes the next message of a login.
    private func further(
        _ sent: NegotiateCredential, _ challenge: AuthenticationChallenge
    ) -> ConversationStep<ChallengeAnswer> {
        ConversationStep(FurtherKey(conversation: challenge.context.id), policy: .fetch) { context in
            do {
                return .use(try await sent.continued(by: challenge), .conversation)
            } catch let error as KerberosError {
                context.notify(.ticketUnavailable(challenge.space, reason: error.message))
                return .notHandled
            }
        }
    }
}

extension NegotiateFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    var description: String { "NegotiateFilter with \(providers.count) providers" }
    var customMirror: Mirror { Mirror(self, children: ["providers": providers.count]) }
}

/// The tickets of one session, by login.
private final class KerberosClients: Sendable {
    private let clients = Mutex<[KerberosLogin: KerberosClient]>([:])

    func client(for login: KerberosLogin) -> KerberosClient {
        clients.withLock { clients in
            if let known = clients[login] { return known }
            let client = KerberosClient(login)
            clients[login] = client
            return client
        }
    }
}
