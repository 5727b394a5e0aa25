import HTTPTypes
import Logging

/// Runs one conversation: performs the state machine's actions, and is the only place that waits.
///
/// Each action has a file of its own; shared parts are here. The functions run on their caller's executor, so a call
/// does not change executors. The manager's function that starts a conversation has left the caller's actor.
struct ConversationLoop {
    let context: ConversationContext
    let transport: any HTTPTransport
    var machine: ConversationStateMachine
    /// The challenges of this conversation, and their answers.
    var challenges = ChallengeHistory()
    /// The client certificates that servers of this conversation got.
    var identities = IdentityHistory()
    /// The steps that were run for it.
    var steps = StepHistory()
    /// The owner of this conversation's connections, once a server has sent a further message of a login.
    var ownConnections: ConnectionOwner?
    /// Whether a step that is a login was performed for it, or a server has accepted a credential.
    var hasLoggedIn = false
    /// Whether a server has put a secret into the name of the next one.
    var hasSecretName = false
    var networkTime: Duration = .zero
    /// The fields of the caller's request as the request filters prepared them last; nil without such filters.
    var preparedFields: HTTPFields?
    /// The exchange that was answered last, for error messages.
    var lastAnswered: AnsweredExchange?

    var configuration: HttpConversationManager.Configuration { context.snapshot.value }

    init(request: consuming ConversationRequest, context: ConversationContext) {
        request.context = context
        self.context = context
        hasSecretName = context.target.hidesOrigin
        transport = context.transport
        machine = ConversationStateMachine(
            request,
            limits: .init(
                maximumAttempts: context.snapshot.value.maximumAttempts,
                maximumRedirects: context.snapshot.value.redirects.maximumRedirects))
    }

    /// Returns the final response, or throws the reason why there is none.
    nonisolated(nonsending) mutating func run() async throws(ConversationError) -> ConversationStream {
        if context.isObserved { observeStart(of: machine.attempt) }
        defer { releaseProbes() }
        do {
            let response = try await perform()
            if let limit = configuration.maximumBodyBytes { response.body.bound(to: limit) }
            let stream = ConversationStream(
                head: response.head, body: response.body, url: response.target, version: response.received.version,
                context: context, attempts: machine.attempts, login: login,
                requestFields: response.exchange.request.headerFields, proxy: response.exchange.proxy)
            if response.status.code >= 400 { noteSent(response) }
            if let log = context.log { observeEnd(of: response, log) }
            return stream
        } catch {
            throw ended(with: Self.failure(error))
        }
    }

    private nonisolated(nonsending) mutating func perform() async throws -> FinalResponse {
        try context.snapshot.validate(for: transport)
        var action = machine.handle(.start)
        while true {
            if let response = try Self.result(of: action) { return response }
            var event: ConversationStateMachine.Event
            do {
                switch action {
                case .prepare(let attempt): event = try await prepare(attempt)
                case .authorize(let hop): event = try await authorize(hop)
                case .exchange(let exchange): event = try await send(exchange)
                case .inspectRedirect(let answered): event = try await inspectRedirect(answered)
                case .answerChallenges(let answered): event = try await answerChallenges(answered)
                case .inspectResponse(let answered):
                    guard let first = firstFilter(concernedBy: answered) else {
                        event = .responseDecided(.deliver)
                        break
                    }
                    event = try await inspectResponse(answered, from: first)
                case .perform(let step, let answered): event = try await perform(step, after: answered)
                case .deliver, .fail: continue
                }
                if let delegates = context.delegates { try await renewBody(consumedBy: event, delegates) }
            } catch {
                event = Self.failed(error)
            }
            action = machine.handle(event)
        }
    }

    // MARK: What the steps share

    /// Reads the rest of the response, so that its connection can be used again. If the rest is long or slow, response
    /// and connection are abandoned.
    nonisolated(nonsending) func finishExchange(_ answered: AnsweredExchange) async {
        let limit = min(configuration.peekTimeout, ResponseBody.drainTime)
        await answered.response.body.finish(within: limit, clock: configuration.clock)
    }

    /// The final response, if the action delivers it; nil if the conversation goes on.
    ///
    /// - Throws: the reason why there is no response. A failure that has happened already keeps it in a cancelled task
    @inline(never) private static func result(of action: ConversationStateMachine.Action) throws -> FinalResponse? {
        if case .fail(let error) = action { throw error }
        if Task.isCancelled { throw ConversationError.cancelled }
        if case .deliver(let response) = action { return response }
        return nil
    }

    /// Lets a delegate renew a one-shot body that has to be sent again.
    @inline(never) private nonisolated(nonsending) func renewBody(
        consumedBy event: ConversationStateMachine.Event, _ delegates: Delegates
    ) async throws {
        if let body = machine.consumedBody(after: event) { try await delegates.renew(body, in: context) }
    }

    @inline(never) private static func failed(_ error: any Error) -> ConversationStateMachine.Event {
        .failed(failure(error))
    }

    /// The error of an action. All throw a `ConversationError`, but without its type in their declarations: each wait
    /// that may throw a typed error takes memory for it, in each conversation.
    static func failure(_ error: any Error) -> ConversationError {
        .wrapping(error, as: .internalInconsistency, "The conversation engine failed. Please report this.")
    }

    @inline(never) static func filterFailed(_ id: String, _ error: any Error) -> any Error {
        if case StepError.timedOut(let limit) = error {
            return ConversationError(
                .timedOut, "The filter \(id) did not finish within \(limit) (interactionTimeout).")
        }
        return ConversationError.wrapping(error, as: .filterFailed, "The filter \(id) failed.")
    }

    @inline(never) private func observeStart(of attempt: Attempt) {
        context.log?.emit(.conversationStarted(.request(attempt.request)))
    }

    // MARK: The end

    /// An error without the secrets that a server has put into the name of another one. Messages have the names of
    /// servers, so this one place keeps secrets out of all of them (security rule S20).
    func hidingServersNames(in error: ConversationError) -> ConversationError {
        guard hasSecretName, let sent = context.sentFields else { return error }
        var error = error
        error.message = sent.hidden(in: error.message)
        return error
    }

    /// Notes the fields of a request whose answer is an error, because the error may repeat them. With observers they
    /// are noted already.
    @inline(never) private func noteSent(_ response: FinalResponse) {
        if !context.isObserved { context.note { SentFields(response.exchange, after: $0) } }
    }

    @inline(never) private func observeEnd(of response: FinalResponse, _ log: EventLog) {
        log.emit(.conversationEnded(.success(.head(response.head, response.status, over: response.received))))
        response.body.whenEnded { log.emit(.bodyReceived($0)) }
    }

    private func ended(with error: ConversationError) -> ConversationError {
        var error = hidingServersNames(in: error).with(
            id: context.id, attempts: machine.attempts, login: error.code == .authenticationFailed ? .failed : login)
        if error.code == .bodyNotReplayable, error.challenge == nil {
            error.challenge = lastAnswered.flatMap(firstChallenge)
        }
        context.log?.emit(.conversationEnded(.failure(error)))
        context.logger.debug(
            "conversation failed", metadata: ["code": "\(error.code)", "attempts": "\(machine.attempts.count)"])
        return error
    }
}
