public import Foundation

/// One thing that happened in a conversation.
///
/// The events of one conversation follow this grammar; custom events, `waiting`, `bodyReceived` and
/// `clientCertificateUsed` may stand anywhere after `conversationStarted`, events of child conversations between any two of their parent's:
/// ```
/// conversation = conversationStarted attempt* conversationEnded
/// attempt      = attemptStarted step*
/// step         = exchangeStarted ( responseReceived decision* | exchangeFailed )
/// decision     = redirectDecided | challengeReceived | challengeAnswered | responseDecided
/// ```
/// The next attempt or step begins where a decision asks for it; `conversationEnded` carries the final response or the
/// error. Values that may be secret are redacted when they are printed.
public struct ConversationEvent: Sendable {
    /// What kind of thing happened; open, so that flows can add their own.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name in transcripts and logs.
        public let name: String
        public var description: String { name }
        init(_ name: String) { self.name = name }

        /// The caller asked for something. Carries the request.
        public static let conversationStarted = Kind("conversationStarted")
        /// An attempt begins at the original request, or a restart point. Carries the reason.
        public static let attemptStarted = Kind("attemptStarted")
        /// An exchange is about to be sent. Carries the request, and the proxy that it goes through; the reason where it is
        /// a repetition.
        public static let exchangeStarted = Kind("exchangeStarted")
        /// A response head arrived. Carries the response.
        public static let responseReceived = Kind("responseReceived")
        /// The exchange brought no response. Carries the error.
        public static let exchangeFailed = Kind("exchangeFailed")
        /// The fate of a redirect is decided. Carries the verdict and the destination.
        public static let redirectDecided = Kind("redirectDecided")
        /// A challenge was read. Carries the protection space; where the request carried a login, the verdict `refused`, or
        /// `stale` where only its nonce was too old.
        public static let challengeReceived = Kind("challengeReceived")
        /// The challenge was answered, or not. Carries the verdict and the filter.
        public static let challengeAnswered = Kind("challengeAnswered")
        /// A response filter did not let the response pass. Carries verdict, filter and reason.
        public static let responseDecided = Kind("responseDecided")
        /// The body of the final response ended, or was given up. Carries the number of bytes, or the error.
        public static let bodyReceived = Kind("bodyReceived")
        /// A server asked for a client certificate. Carries the space and the verdict `present`, `none` or `refused`; as
        /// details `subject` and `fingerprint` of the certificate. Once per conversation and answer.
        public static let clientCertificateUsed = Kind("clientCertificateUsed")
        /// The conversation waits for more than a second for something other than a server's answer: the next one-time
        /// code, another process that gets the same tokens, a login that another conversation has begun, the screen.
        /// Carries the reason, in words that follow "waiting", and the duration where it is known.
        public static let waiting = Kind("waiting")
        /// The final response's head is on its way to the caller, or the error.
        public static let conversationEnded = Kind("conversationEnded")
        /// An event of a flow.
        public static func custom(_ name: String) -> Kind { Kind(name) }
    }

    /// What happened.
    public let kind: Kind
    /// In which conversation.
    public let conversationID: ConversationID
    /// The conversation that this one is a child of.
    public let parentID: ConversationID?
    /// Counts the events of the conversation from 0.
    public let sequence: Int
    /// The time since the conversation started.
    public let elapsed: Duration

    /// The same by the clock on the wall, as it was when the conversation started.
    public let date: Date

    /// The request, for events that have one; its values print redacted.
    public internal(set) var request: ObservedRequest?
    /// The proxy that an exchange goes through, such as `http://proxy.example.com:3128`, without its login; nil: straight
    /// to its server.
    public internal(set) var proxy: String?
    /// The response, for events that have one; its values print redacted.
    public internal(set) var response: ObservedResponse?
    /// The protection space of a challenge.
    public internal(set) var space: ProtectionSpace?
    /// The destination of a redirect.
    public internal(set) var destination: TargetURL?
    /// The id of the filter that decided.
    public internal(set) var filter: String?
    /// What was decided, such as `follow`, `use`, `notHandled`, `restart`.
    public internal(set) var verdict: String?
    /// Why. For people.
    public internal(set) var reason: String?
    /// The error of a failure.
    public internal(set) var error: ConversationError?
    /// A number of bytes.
    public internal(set) var byteCount: Int?
    /// How long a wait takes, or at most takes; nil where nobody knows. Details have the same as `seconds`, rounded up.
    public internal(set) var duration: Duration?
    /// What a flow says of its own event; never secret.
    public internal(set) var details: [String: String] = [:]

    init(
        kind: Kind, conversationID: ConversationID, parentID: ConversationID?, sequence: Int, elapsed: Duration,
        date: Date
    ) {
        self.kind = kind
        self.conversationID = conversationID
        self.parentID = parentID
        self.sequence = sequence
        self.elapsed = elapsed
        self.date = date
    }
}

extension ConversationEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line, redacted.
    public var description: String { EventText.line(for: self) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}
