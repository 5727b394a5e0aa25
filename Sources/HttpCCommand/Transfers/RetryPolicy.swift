import HttpC

/// Whether what did not work is tried again, and when (--retry). Only what does no harm when it happens twice.
struct RetryPolicy: Sendable {
    /// What did not work.
    enum Trouble {
        case status(Int, retryAfter: Duration?)
        case error(ConversationError)
    }

    enum Verdict: Equatable {
        case again(in: Duration)
        /// With the reason, where somebody would wonder.
        case stop(String?)
    }

    /// How often.
    let retries: Int
    /// Always that long; nil: 1 s, 2 s, 4 s …, or what the server says.
    var delay: Duration?
    /// After so long no more; nil: no such limit.
    var time: Duration?
    let method: HTTPRequest.Method
    /// Whether there is no body, or one that can be sent again.
    let isReplayable: Bool

    /// The longest that anybody waits, also where a server asks for more.
    static let longest = Duration.seconds(600)

    private static let passing: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Those that say that nothing was sent.
    private static let unsent: Set<ConversationError.Code> = [.hostNotResolved, .proxyNotResolved, .connectionFailed]
    private static let broken: Set<ConversationError.Code> = [
        .timedOut, .emptyResponse, .bodyCut, .sendFailed, .receiveFailed, .http2Failed, .http2StreamReset,
    ]
    /// Twice is as good as once (RFC 9110 §9.2.2).
    private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]

    /// That of the command line.
    init(_ options: TransferOptions, _ method: HTTPRequest.Method, isReplayable: Bool) {
        retries = options.retries
        delay = options.retryDelay.map { .seconds($0) }
        time = options.retryTime.map { .seconds($0) }
        self.method = method
        self.isReplayable = isReplayable
    }

    /// - Parameters:
    ///   - tries: how many there were, this one included
    ///   - elapsed: since the first began
    ///   - hasOutput: whether part of the body went where it cannot be taken back
    func verdict(_ trouble: Trouble, tries: Int, elapsed: Duration, hasOutput: Bool = false) -> Verdict {
        guard retries > 0, isPassing(trouble) else { return .stop(nil) }
        guard tries <= retries else { return .stop(nil) }
        if hasOutput { return .stop("part of the body was printed") }
        guard isReplayable else { return .stop("the body can be sent once only") }
        guard isHarmless(trouble) else { return .stop("a \(method.rawValue) twice may not be what it is once") }
        var pause = delay ?? min(.seconds(1 << min(tries - 1, 20)), Self.longest)
        if case .status(_, let asked?) = trouble {
            guard asked <= Self.longest else {
                return .stop("the server wants to be left alone for \(asked.components.seconds) s")
            }
            pause = max(delay ?? .zero, asked)
        }
        if let time, elapsed + pause > time { return .stop("the time of --retry-max-time is over") }
        return .again(in: pause)
    }

    private func isPassing(_ trouble: Trouble) -> Bool {
        switch trouble {
        case .status(let status, _): Self.passing.contains(status)
        case .error(let error):
            // A login that failed, whatever of it: it was the person's, or the server's, last word.
            error.underlyingError.map(Self.isTransport) ?? true
                && (Self.unsent.contains(error.code) || Self.broken.contains(error.code))
        }
    }

    private static func isTransport(_ cause: any Error) -> Bool {
        !(cause is WebLoginError || cause is OAuth2Error || cause is CommandFailure || cause is UnaskedSAML2Login)
    }

    private func isHarmless(_ trouble: Trouble) -> Bool {
        // After an answer, such as a redirect, something was sent.
        if case .error(let error) = trouble, Self.unsent.contains(error.code),
            error.attempts.allSatisfy({ $0.status == nil })
        {
            return true
        }
        return Self.idempotent.contains(method)
    }
}
