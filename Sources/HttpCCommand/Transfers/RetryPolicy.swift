import HttpC
import HttpCTerminal

/// Whether and when a failed attempt is retried (--retry). Only requests that are harmless to repeat are.
struct RetryPolicy: Sendable {
    /// The failure of an attempt.
    enum Trouble {
        case status(Int, retryAfter: Duration?)
        case error(ConversationError)
    }

    enum Verdict: Equatable {
        case again(in: Duration)
        /// No retry, with the reason if the person would not expect it.
        case stop(String?)
    }

    /// The maximum number of retries.
    let retries: Int
    /// The fixed delay; nil: 1 s, 2 s, 4 s …, or the server's.
    var delay: Duration?
    /// The time after which there are no more retries; nil for no limit.
    var time: Duration?
    let method: HTTPRequest.Method
    /// Whether there is no body, or one that can be sent again.
    let isReplayable: Bool

    /// The longest delay, even if a server asks for more.
    static let longest = Duration.seconds(600)

    private static let passing: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The errors that mean that nothing was sent.
    private static let unsent: Set<ConversationError.Code> = [.hostNotResolved, .proxyNotResolved, .connectionFailed]
    private static let broken: Set<ConversationError.Code> = [
        .timedOut, .emptyResponse, .bodyCut, .sendFailed, .receiveFailed, .http2Failed, .http2StreamReset,
    ]
    /// The idempotent methods (RFC 9110 §9.2.2).
    private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]

    /// Creates the policy of the command line.
    init(_ plan: RequestPlan, _ method: HTTPRequest.Method, isReplayable: Bool) {
        retries = plan.retries
        delay = plan.retryDelay
        time = plan.retryTime
        self.method = method
        self.isReplayable = isReplayable
    }

    /// - Parameters:
    ///   - tries: the number of attempts so far
    ///   - elapsed: the time since the first attempt began
    ///   - hasOutput: whether part of the body was written and cannot be taken back
    func verdict(_ trouble: Trouble, tries: Int, elapsed: Duration, hasOutput: Bool = false) -> Verdict {
        guard retries > 0, isPassing(trouble) else { return .stop(nil) }
        guard tries <= retries else { return .stop(nil) }
        if hasOutput { return .stop("part of the body was written") }
        guard isReplayable else { return .stop("the body can be sent once only") }
        guard isHarmless(trouble) else { return .stop("a \(method.rawValue) sent twice may act twice") }
        var pause = delay ?? min(.seconds(1 << min(tries - 1, 20)), Self.longest)
        if let asked = Self.askedPause(trouble) {
            guard asked <= Self.longest else {
                return .stop("the server wants to be left alone for \(asked.components.seconds) s")
            }
            if asked > .zero { pause = max(delay ?? .zero, asked) }
        }
        if let time, elapsed + pause > time { return .stop("the time of --retry-max-time is over") }
        return .again(in: pause)
    }

    /// The pause that a server asks for. The token endpoint is not asked again for two seconds in any case.
    private static func askedPause(_ trouble: Trouble) -> Duration? {
        switch trouble {
        case .status(_, let pause): pause
        case .error(let error): (error.underlyingError as? OAuth2Error).map { max($0.retryAfter ?? .zero, .seconds(2)) }
        }
    }

    private func isPassing(_ trouble: Trouble) -> Bool {
        switch trouble {
        case .status(let status, _): Self.passing.contains(status)
        case .error(let error):
            if let login = error.underlyingError as? OAuth2Error {
                login.isTemporary
            } else {
                error.underlyingError.map(Self.isTransport) ?? true
                    && (Self.unsent.contains(error.code) || Self.broken.contains(error.code))
            }
        }
    }

    /// Any other failed login is final: the person or the server has decided.
    private static func isTransport(_ cause: any Error) -> Bool {
        !(cause is WebLoginError || cause is CommandFailure || cause is RecognizedLogin)
    }

    private func isHarmless(_ trouble: Trouble) -> Bool {
        // After an answer, such as a redirect, something was sent.
        if case .error(let error) = trouble, Self.unsent.contains(error.code) || error.underlyingError is OAuth2Error,
            error.attempts.allSatisfy({ $0.status == nil })
        {
            return true
        }
        return Self.idempotent.contains(method)
    }
}
