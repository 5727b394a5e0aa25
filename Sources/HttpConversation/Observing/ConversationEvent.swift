import HttpConvConcurrency
public import HttpConvPlatform

/// One thing that happened in a conversation.
///
/// The events of one conversation follow this grammar; `bodyReceived`, `clientCertificateUsed`, `waiting`, `login` and
/// `custom` may stand anywhere after `conversationStarted`, events of child conversations between any two of their
/// parent's:
/// ```
/// conversation = conversationStarted attempt* conversationEnded
/// attempt      = attemptStarted step*
/// step         = exchangeStarted ( responseReceived decision* | exchangeFailed )
/// decision     = redirectDecided | challengeReceived | challengeAnswered | responseDecided
/// ```
/// The next attempt or step begins where a decision asks for it; `conversationEnded` carries the final response or the
/// error. Values that may be secret are redacted when they are printed.
public struct ConversationEvent: Sendable, Equatable {
    /// The kind of an event, with its details.
    ///
    /// Write a `default` into a `switch` over kinds: a minor version may add a kind. It may also add members to the
    /// structs of kinds, which breaks no code.
    ///
    /// Indirect, because events are passed on often, and their details are large.
    public indirect enum Kind: Sendable, Equatable {
        /// The caller asked for something.
        case conversationStarted(ObservedRequest)
        /// An attempt begins at the original request, or at a restart point. The reason is `first`, or that of a
        /// filter.
        case attemptStarted(reason: String)
        /// An exchange is about to be sent.
        case exchangeStarted(ExchangeStart)
        /// A response head arrived.
        case responseReceived(ObservedResponse)
        /// The exchange brought no response.
        case exchangeFailed(ConversationError)
        /// A redirect is followed or not.
        case redirectDecided(RedirectDecision)
        /// A challenge was read.
        case challengeReceived(Challenge)
        /// The challenge was answered, or not.
        case challengeAnswered(ChallengeDecision)
        /// A response filter did not let the response pass.
        case responseDecided(ResponseDecision)
        /// The body of the final response ended, with its number of bytes, or was given up.
        case bodyReceived(Result<Int, ConversationError>)
        /// A server asked for a client certificate. Once per conversation and answer.
        case clientCertificateUsed(CertificateUse)
        /// The conversation waits for more than a second for something other than a server's answer: the next one-time
        /// code, another process that gets the same tokens, a login that another conversation has begun, the screen.
        case waiting(Wait)
        /// The caller gets the final response's head, or the error.
        case conversationEnded(Result<ObservedResponse, ConversationError>)
        /// A flow, a provider or a web strategy reports about a login.
        case login(LoginEvent)
        /// A flow of the application reports something else.
        case custom(CustomEvent)
    }

    /// The kind, with its details.
    public let kind: Kind
    /// The conversation.
    public let conversationID: ConversationID
    /// The conversation that this one is a child of.
    public let parentID: ConversationID?
    /// The number of the event in its conversation, from 0.
    public let sequence: Int
    /// The time since the conversation started.
    public let elapsed: Duration
    /// The start of the conversation, by the wall clock.
    let start: Date
    /// The time of the event as a date, by the wall clock at the start of the conversation.
    public var date: Date { start + elapsed }

    /// The request of `conversationStarted` and `exchangeStarted`; its values print redacted.
    public var request: ObservedRequest? {
        switch kind {
        case .conversationStarted(let request): request
        case .exchangeStarted(let start): start.request
        default: nil
        }
    }
    /// The response of `responseReceived` and `conversationEnded`; its values print redacted.
    public var response: ObservedResponse? {
        switch kind {
        case .responseReceived(let response), .conversationEnded(.success(let response)): response
        default: nil
        }
    }
    /// The error of `exchangeFailed`, `bodyReceived` and `conversationEnded`.
    public var error: ConversationError? {
        switch kind {
        case .exchangeFailed(let error), .bodyReceived(.failure(let error)), .conversationEnded(.failure(let error)):
            error
        default: nil
        }
    }
    /// The protection space of a challenge, its answer, or a question for a client certificate.
    package var space: ProtectionSpace? {
        switch kind {
        case .challengeReceived(let challenge): challenge.space
        case .challengeAnswered(let decision): decision.space
        case .clientCertificateUsed(let use): .clientCertificate(of: use.origin)
        default: nil
        }
    }
}

extension ConversationEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line, redacted.
    public var description: String { Transcript.Entry(self).line }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension ConversationEvent.Kind: CustomStringConvertible, CustomReflectable {
    /// The name in transcripts and spans.
    public var name: String {
        if case .custom(let event) = self { event.name } else { eventName?.rawValue ?? "" }
    }
    /// The name.
    public var description: String { name }
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
