/// The part of an error that a conversation adds.
extension ConversationError {
    private struct Circumstances {
        var attempts: [AttemptRecord] = []
        var challenge: AuthenticationChallenge?
        var outcome = LoginOutcome.notAsked
        var response: ConversationResponse?
    }

    private var known: Circumstances {
        get { circumstances as? Circumstances ?? Circumstances() }
        set { circumstances = newValue }
    }

    /// Creates an error; flows and transports use this, applications rarely do.
    public init(
        _ code: Code, _ message: String, underlyingError: (any Error)? = nil, challenge: AuthenticationChallenge? = nil
    ) {
        self.init(code, message, underlyingError: underlyingError)
        if let challenge { known.challenge = challenge }
    }

    /// The attempts, in order.
    public internal(set) var attempts: [AttemptRecord] {
        get { known.attempts }
        set { known.attempts = newValue }
    }

    /// The response that is not as the caller demanded, if there is one. Its body may be secret; no description of the
    /// error contains it.
    public internal(set) var response: ConversationResponse? {
        get { known.response }
        set { known.response = newValue }
    }

    /// The result of the login in the conversation, which distinguishes a wrong password from a missing one.
    public internal(set) var login: LoginOutcome {
        get { known.response?.login ?? known.outcome }
        set { known.outcome = newValue }
    }

    /// The challenge that could not be answered, if there was one.
    public var challenge: AuthenticationChallenge? {
        get { known.challenge }
        set { known.challenge = newValue }
    }
}

extension ConversationError {
    /// A copy with a conversation's data.
    func with(id: ConversationID, attempts: [AttemptRecord], login: LoginOutcome) -> ConversationError {
        var error = self
        error.conversationID = id
        error.attempts = attempts
        error.login = login
        return error
    }
}

extension ConversationError: Equatable {
    /// Compares code, message, conversation, attempts and login, but not the underlying error.
    public static func == (one: ConversationError, other: ConversationError) -> Bool {
        one.code == other.code && one.message == other.message && one.conversationID == other.conversationID
            && one.attempts == other.attempts && one.login == other.login
    }
}
