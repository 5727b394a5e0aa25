import HttpC
import HttpConvFormats

extension Story {
    /// One conversation of the story, with the state of earlier events that the text of the next one needs.
    struct Conversation {
        /// The text before each of its lines.
        let margin: String
        /// Whether it is part of another conversation, such as a page of a login.
        let isPart: Bool
        private(set) var isOver = false
        private var request: SentRequest?
        private var sent = Duration.zero
        private var proxy: String?
        /// An answer whose meaning is still unknown.
        private var answer: Answer?
        /// The reason why the request is sent again.
        private var reason: String?
        /// The source of the password.
        private var source: String?
        private var isAskedByProxy = false
        private var hasCookiesOfLogin = false
        private var mediaType: String?

        /// The maximum number of named logins; a server may offer many.
        private static let mostLogins = 3
        private var challenges = 0
        /// Whether the last challenge has no login; there may be another challenge.
        private var isUnanswered = false
        private var hasRefused = false

        private struct Answer {
            let text: String
            /// The offered logins, in words.
            let logins: [String]
        }

        init(margin: String, isPart: Bool) {
            self.margin = margin
            self.isPart = isPart
        }

        /// The pending lines, before another conversation prints its own.
        mutating func pause() -> [Line] {
            if isUnanswered {
                isUnanswered = false
                return [.said(hasRefused ? "There is no other login to try." : "There is no login for that.")]
            }
            guard let answer else { return [] }
            self.answer = nil
            let wants = answer.logins.isEmpty ? "" : ": wants " + EventText.list(answer.logins, by: "or")
            return [.said(answer.text + wants + ".")]
        }

        /// The lines for an event.
        mutating func lines(for event: ConversationEvent) -> [Line] {
            switch event.kind {
            case .conversationStarted: return []
            case .attemptStarted(let why):
                if why != AttemptRecord.firstReason { reason = why }
                return pause()
            case .exchangeStarted(let start): return pause() + exchange(start, event.elapsed)
            case .responseReceived(let received): return pause() + response(received, event.elapsed)
            case .challengeReceived(let received): return challenge(received)
            case .challengeAnswered(let decision): return pause() + challengeAnswer(decision)
            case .redirectDecided(let decision): return meaning(EventText.redirect(decision, isPart: isPart))
            case .responseDecided(let decision): return meaning(EventText.decision(decision))
            case .clientCertificateUsed(let use): return pause() + [.said(EventText.certificate(use))]
            case .waiting(let wait): return pause() + [.said(EventText.wait(wait))]
            // The conversation's end has the same error.
            case .exchangeFailed: return pause()
            case .conversationEnded(let result): return pause() + ended(result, event.elapsed)
            case .bodyReceived(let result): return pause() + body(result, event.elapsed)
            case .login(let event): return pause() + login(event)
            case .custom: return pause()
            }
        }

        /// The answer and its meaning in one sentence.
        private mutating func meaning(_ text: String?) -> [Line] {
            guard let text else { return pause() }
            defer { answer = nil }
            return [.said(answer.map { "\($0.text): \(text)" } ?? EventText.capitalised(text))]
        }

        // MARK: Requests

        private mutating func exchange(_ start: ConversationEvent.ExchangeStart, _ elapsed: Duration) -> [Line] {
            let observed = start.request
            let last = request
            let new = SentRequest(observed, isPart: isPart)
            let why = start.repetition ?? reason
            let changes = new.changes(
                since: last, password: source, ofLogin: hasCookiesOfLogin, proxyLogin: isAskedByProxy)
            let isAgain = why != nil && last?.isSameQuestion(as: new) == true
            (request, sent, proxy) = (new, elapsed, start.proxy)
            (reason, source, isAskedByProxy, hasCookiesOfLogin) = (nil, nil, false, false)
            let text: String
            if isAgain {
                text =
                    changes.isEmpty
                    ? "Again: \(TerminalText.sanitise(why ?? ""))." : "Again, now with \(EventText.list(changes))."
            } else {
                let way = last == nil ? proxy.map { " through the proxy \($0)" } ?? "" : ""
                text = "\(new.method) \(new.url)" + way + (changes.isEmpty ? "" : " with \(EventText.list(changes))")
            }
            return [.said(text)] + RedactedHead.request(observed).map { .sent($0) }
        }

        // MARK: Answers

        private mutating func response(_ response: ObservedResponse, _ elapsed: Duration) -> [Line] {
            let fields = response.headerFields.value
            mediaType = fields[.contentType]?.mediaType
            var facts = [Story.milliseconds(elapsed - sent)]
            if response.reusedConnection { facts.append("connection reused") }
            if let age = fields[.age].flatMap({ PeerNumber.integer($0, in: 0...Int.max) }) {
                facts.append("from a cache, \(age) s old")
            }
            let offered =
                response.status == .unauthorized
                ? OfferedChallenge.offered(by: HTTPResponse(status: response.status, headerFields: fields)) : []
            answer = Answer(
                text: "\(EventText.status(response)) (\(facts.joined(separator: ", ")))",
                logins: offered.prefix(Self.mostLogins).map {
                    response.hidingCredentials(
                        in: EventText.login($0.method, realm: response.hidingCredentials(in: $0.realm ?? "")))
                })
            return response.repetitions.map { .said("Sent once more: \($0).") }
                + EventText.connection(response, throughProxy: proxy != nil)
                + RedactedHead.response(response).map { .received($0) }
        }

        private mutating func challenge(_ challenge: ConversationEvent.Challenge) -> [Line] {
            isAskedByProxy = challenge.space.isProxy
            isUnanswered = false
            if challenge.verdict == .refused { hasRefused = true }
            challenges = answer == nil ? challenges + 1 : 1
            guard challenges <= Self.mostLogins else { return [] }
            return meaning(
                challenges == 1
                    ? EventText.challenge(challenge) : "it would also take \(EventText.login(challenge.space)).")
        }

        private mutating func challengeAnswer(_ decision: ConversationEvent.ChallengeDecision) -> [Line] {
            isUnanswered = decision.verdict == .notHandled
            if decision.verdict == .use, decision.filter == nil, source == nil { source = "from before" }
            if decision.verdict != .use { isAskedByProxy = false }
            return said(EventText.answer(decision))
        }

        // MARK: The end

        private mutating func ended(
            _ result: Result<ObservedResponse, ConversationError>, _ elapsed: Duration
        ) -> [Line] {
            guard case .failure(let error) = result else { return [] }
            isOver = true
            // The command itself reports why the caller's conversation failed.
            return [
                .said(isPart ? "That failed: \(error.commandMessage)" : "Failed after \(Story.milliseconds(elapsed)).")
            ]
        }

        private mutating func body(_ result: Result<Int, ConversationError>, _ elapsed: Duration) -> [Line] {
            isOver = true
            switch result {
            case .failure(let error): return [.said("The answer broke off: \(error.commandMessage)")]
            case .success where isPart: return []
            case .success(let count):
                let what = EventText.body(count, mediaType) ?? "no body"
                return [.said("Done after \(Story.milliseconds(elapsed)): \(what).")]
            }
        }

        // MARK: Logins

        private mutating func login(_ event: LoginEvent) -> [Line] {
            switch event {
            case .passwordGiven(let source): self.source = source
            case .webLoginFinished(_, _, _, .succeeded): hasCookiesOfLogin = true
            default: break
            }
            return said(EventText.login(event))
        }

        private func said(_ sentence: String?) -> [Line] { sentence.map { [.said($0)] } ?? [] }
    }
}
