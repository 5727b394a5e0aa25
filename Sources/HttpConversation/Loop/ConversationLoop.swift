import HTTPTypes
import Logging

/// Runs one conversation: performs the state machine's actions, and is the only place that waits.
///
/// Each action has a file of its own; shared parts are here. Its functions run where their caller runs, so that calling
/// one does not cost a change of executors. The manager's function that starts a conversation has left the caller's actor.
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
    var networkTime: Duration = .zero
    /// The exchange that was answered last, for error messages.
    var lastAnswered: AnsweredExchange?

    var configuration: HttpConversationManager.Configuration { context.snapshot.value }

    init(request: ConversationRequest, context: ConversationContext) {
        var request = request
        request.context = context
        self.context = context
        transport = context.transport
        machine = ConversationStateMachine(
            request,
            limits: .init(
                maximumAttempts: context.snapshot.value.maximumAttempts,
                maximumRedirects: context.snapshot.value.redirects.maximumRedirects))
    }

    /// Returns the final response, or throws the reason why there is none.
    nonisolated(nonsending) mutating func run() async throws(ConversationError) -> ConversationStream {
        observeStart()
        defer { releaseProbes() }
        do throws(ConversationError) {
            let response = try await perform()
            if let limit = configuration.maximumBodyBytes { response.body.bound(to: limit) }
            let stream = ConversationStream(
                head: response.head, body: response.body, url: response.target, version: response.received.version,
                context: context, attempts: machine.attempts, login: login)
            observeEnd(of: stream, response)
            return stream
        } catch {
            throw ended(with: error)
        }
    }

    private nonisolated(nonsending) mutating func perform() async throws(ConversationError) -> FinalResponse {
        try context.snapshot.validate(for: transport)
        var action = machine.handle(.start)
        while true {
            if Task.isCancelled {
                // A failure that has happened already keeps its reason.
                if case .fail(let error) = action { throw error }
                throw .cancelled
            }
            var event: ConversationStateMachine.Event
            do throws(ConversationError) {
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
                case .deliver(let response): return response
                case .fail(let error): throw error
                }
            } catch {
                if case .fail = action { throw error }
                event = .failed(error)
            }
            if let delegates = context.delegates, let body = machine.consumedBody(after: event) {
                do throws(ConversationError) { try await delegates.renew(body, in: context) } catch {
                    event = .failed(error)
                }
            }
            action = machine.handle(event)
        }
    }

    // MARK: What the steps share

    /// Reads the rest of the response, so that its connection can be used again. A long rest is abandoned with it.
    nonisolated(nonsending) func finishExchange(_ answered: AnsweredExchange) async {
        await answered.response.body.finish(within: configuration.peekTimeout, clock: configuration.clock)
    }

    static func filterFailed(_ id: String, _ error: any Error) -> ConversationError {
        if case StepError.timedOut(let limit) = error {
            return ConversationError(.timedOut, "Nobody finished within \(limit) what the filter \(id) asked for.")
        }
        return .wrapping(error, as: .filterFailed, "The filter \(id) failed.")
    }

    private func observeStart() {
        context.log.emit(.conversationStarted(ObservedRequest(machine.start)))
    }

    // MARK: The end

    private func observeEnd(of stream: ConversationStream, _ response: FinalResponse) {
        let log = context.log
        guard log.isActive else { return }
        log.emit(.conversationEnded(.success(ObservedResponse(stream.head, over: response.received))))
        stream.body.whenEnded { log.emit(.bodyReceived($0)) }
    }

    private func ended(with error: ConversationError) -> ConversationError {
        var error = error
        error.conversationID = context.id
        error.attempts = machine.attempts
        error.login = error.code == .authenticationFailed ? .failed : login
        if error.code == .bodyNotReplayable, error.challenge == nil {
            error.challenge = lastAnswered.flatMap { answered in answered.offered.first.map { challenge($0, answered) }
            }
        }
        context.log.emit(.conversationEnded(.failure(error)))
        context.logger.debug(
            "conversation failed", metadata: ["code": "\(error.code)", "attempts": "\(machine.attempts.count)"])
        return error
    }
}
