import HttpConversation
import NIOCore

extension NIOTransport {
    /// The next exchange for a request, and the reasons why the exchanges before it were not enough.
    ///
    /// Each function that throws counts or excludes something. It throws the given error if the request has been
    /// repeated often enough for that.
    struct Repetition {
        private static let maximumUnprocessed = 5
        private static let maximumRefusals = 3

        private(set) var request: WireRequest
        private(set) var needsFreshConnection = false
        /// Why the request was repeated, for reports.
        private(set) var reasons: [String] = []
        private var unprocessed = 0
        private var refusals = 0
        private var start: NIODeadline?

        init(_ request: WireRequest) {
            self.request = request
        }

        /// When connecting began, if the connection to a refused server is made again. Only for the next exchange.
        mutating func takeStart() -> NIODeadline? { start.take() }

        /// Repeats a request on a new connection, because the server said that the old one was not for it. Returns
        /// false if the request cannot be repeated.
        mutating func repeatsMisdirected() -> Bool {
            guard !needsFreshConnection, request.isReplayable else { return false }
            needsFreshConnection = true
            reasons.append("the server said that the connection was not for it (421)")
            return true
        }

        /// Repeats a request on a new connection, because its server waited for one on the old connection for too long.
        /// Returns false if the server may have acted on it, or the request cannot be repeated.
        mutating func repeatsTimedOut() -> Bool {
            guard !needsFreshConnection, request.isIdempotent, request.isReplayable else { return false }
            needsFreshConnection = true
            reasons.append("the server had given up the connection that was kept (408)")
            return true
        }

        mutating func useFreshConnection(after error: ConversationError) throws(ConversationError) {
            if needsFreshConnection { throw error }
            needsFreshConnection = true
            reasons.append("the connection that was kept had ended")
        }

        mutating func countUnprocessed(_ error: ConversationError) throws(ConversationError) {
            unprocessed += 1
            if unprocessed > Self.maximumUnprocessed { throw error }
            reasons.append("the server had not begun with it")
        }

        mutating func useHTTP1(after error: ConversationError) throws(ConversationError) {
            if request.key.protocols == .http1 { throw error }
            request = request.overHTTP1()
            reasons.append("the server wants HTTP/1.1 for it")
        }

        mutating func leaveOutExpectation() {
            request = request.withoutExpectation()
            reasons.append("the server does not take Expect: 100-continue (417)")
        }

        mutating func renegotiate() {
            request = request.renegotiating()
            reasons.append("the server wants a client certificate for this page")
        }

        /// Counts the refusals of a server: the certificate is diagnosed once, and an accepted key is tried once.
        mutating func countRefusal(_ error: ConversationError) throws(ConversationError) {
            refusals += 1
            guard error.code == .certificateNotTrusted, refusals <= Self.maximumRefusals else { throw error }
        }

        /// - Parameter start: when connecting began, before the server was refused
        mutating func connect(over key: PoolKey, since start: NIODeadline?) {
            request = request.over(key)
            self.start = start
        }
    }
}
