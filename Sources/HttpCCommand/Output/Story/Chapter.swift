import HttpC
import HttpConvNumbers

extension Story {
    /// One conversation of the story, with the state of earlier events that the text of the next one needs.
    struct Chapter {
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
            /// The offered logins.
            let offered: [OfferedChallenge]
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
            let logins = answer.offered.prefix(Self.mostLogins).map { Words.login($0.method, realm: $0.realm ?? "") }
            return [.said(answer.text + (logins.isEmpty ? "." : ": wants " + Words.list(logins, by: "or") + "."))]
        }

        /// The lines for an event.
        mutating func lines(for event: ConversationEvent) -> [Line] {
            switch event.kind {
            case .conversationStarted: return []
            case .attemptStarted:
                if event.reason != "first" { reason = event.reason }
                return pause()
            case .exchangeStarted: return pause() + exchange(event)
            case .responseReceived: return pause() + response(event)
            case .challengeReceived: return challenge(event)
            case .challengeAnswered: return pause() + challengeAnswer(event)
            case .redirectDecided: return meaning(Words.redirect(event, isPart: isPart))
            case .responseDecided: return meaning(Words.decision(event))
            case .clientCertificateUsed: return pause() + [.said(Words.certificate(event))]
            case .waiting: return pause() + [.said(Words.wait(event))]
            // The conversation's end has the same error.
            case .exchangeFailed: return pause()
            case .conversationEnded: return pause() + ended(event)
            case .bodyReceived: return pause() + body(event)
            default: return pause() + flow(event)
            }
        }

        /// The answer and its meaning in one sentence.
        private mutating func meaning(_ text: String?) -> [Line] {
            guard let text else { return pause() }
            defer { answer = nil }
            return [.said(answer.map { "\($0.text): \(text)" } ?? Words.capitalised(text))]
        }

        // MARK: Requests

        private mutating func exchange(_ event: ConversationEvent) -> [Line] {
            guard let observed = event.request else { return [] }
            let last = request
            let new = SentRequest(observed, isPart: isPart)
            let why = event.reason ?? reason
            let news = new.news(
                since: last, password: source, ofLogin: hasCookiesOfLogin, proxyLogin: isAskedByProxy)
            let isAgain = why != nil && last?.isSameQuestion(as: new) == true
            (request, sent, proxy) = (new, event.elapsed, event.proxy)
            (reason, source, isAskedByProxy, hasCookiesOfLogin) = (nil, nil, false, false)
            let text: String
            if isAgain {
                text =
                    news.isEmpty
                    ? "Again: \(TerminalText.sanitise(why ?? ""))." : "Again, now with \(Words.list(news))."
            } else {
                let way = last == nil ? proxy.map { " through the proxy \($0)" } ?? "" : ""
                text = "\(new.method) \(new.url)" + way + (news.isEmpty ? "" : " with \(Words.list(news))")
            }
            return [.said(text)] + HeadLines.request(observed).map { .sent($0) }
        }

        // MARK: Answers

        private mutating func response(_ event: ConversationEvent) -> [Line] {
            guard let response = event.response else { return [] }
            let fields = response.headerFields.value
            mediaType = fields[.contentType].map { String($0.prefix(upToASCII: ";")) }
            var facts = [Story.milliseconds(event.elapsed - sent)]
            if response.reusedConnection { facts.append("connection reused") }
            if let age = fields[.age].flatMap({ PeerNumber.integer($0, in: 0...Int.max) }) {
                facts.append("from a cache, \(age) s old")
            }
            answer = Answer(
                text: "\(Words.status(response)) (\(facts.joined(separator: ", ")))",
                offered: response.status == .unauthorized
                    ? OfferedChallenge.offered(by: HTTPResponse(status: response.status, headerFields: fields)) : [])
            return response.repetitions.map { .said("Sent once more: \($0).") }
                + Words.connection(response, throughProxy: proxy != nil)
                + HeadLines.response(response).map { .received($0) }
        }

        private mutating func challenge(_ event: ConversationEvent) -> [Line] {
            guard let space = event.space else { return [] }
            isAskedByProxy = space.isProxy
            isUnanswered = false
            if event.verdict == "refused" { hasRefused = true }
            challenges = answer == nil ? challenges + 1 : 1
            guard challenges <= Self.mostLogins else { return [] }
            return meaning(
                challenges == 1 ? Words.challenge(event, space) : "it would also take \(Words.login(space)).")
        }

        private mutating func challengeAnswer(_ event: ConversationEvent) -> [Line] {
            isUnanswered = event.verdict == "notHandled"
            if event.verdict == "use", event.filter == nil, source == nil { source = "from before" }
            if event.verdict != "use" { isAskedByProxy = false }
            return said(Words.answer(event))
        }

        // MARK: The end

        private mutating func ended(_ event: ConversationEvent) -> [Line] {
            guard let error = event.error else { return [] }
            isOver = true
            // The command itself reports why the caller's conversation failed.
            return [
                .said(isPart ? "That failed: \(error.message)" : "Failed after \(Story.milliseconds(event.elapsed)).")
            ]
        }

        private mutating func body(_ event: ConversationEvent) -> [Line] {
            isOver = true
            if let error = event.error { return [.said("The answer broke off: \(error.message)")] }
            guard !isPart else { return [] }
            let what = Words.body(event.byteCount ?? 0, mediaType)
            return [.said("Done after \(Story.milliseconds(event.elapsed)): \(what ?? "no body").")]
        }

        // MARK: Logins

        private mutating func flow(_ event: ConversationEvent) -> [Line] {
            switch event.kind {
            case .custom(StoryEvent.password): source = event.details["source"]
            case .custom(FlowEvent.webLoginFinished) where event.details["outcome"] == "succeeded":
                hasCookiesOfLogin = true
            default: break
            }
            return said(Words.flow(event))
        }

        private func said(_ sentence: String?) -> [Line] { sentence.map { [.said($0)] } ?? [] }
    }
}
