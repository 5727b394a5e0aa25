internal import HttpConvConcurrency

extension ConversationEvent {
    /// The start of an exchange.
    public struct ExchangeStart: Sendable, Equatable {
        /// The request as handed to the transport.
        public let request: ObservedRequest
        /// The proxy, such as `http://proxy.example.com:3128`, without its login; nil without a proxy.
        public let proxy: String?
        /// The reason of a repetition, for people; nil for the first exchange of a request.
        public let repetition: String?
    }

    /// The decision about a redirect.
    public struct RedirectDecision: Sendable, Equatable {
        /// The fate of a redirect.
        public enum Verdict: String, Sendable {
            /// The conversation follows it.
            case follow
            /// The caller gets the redirect itself.
            case stop
            /// A filter starts the conversation again.
            case restart
        }

        /// The decision.
        public let verdict: Verdict
        /// The URL that it leads to; nil if `Location` is not a URL.
        public let destination: TargetURL?
        /// The id of the filter that decided; nil if the policy decided.
        public let filter: String?
        /// The reason, for people.
        public let reason: String?
    }

    /// A challenge of a response.
    public struct Challenge: Sendable, Equatable {
        /// The server's answer to the login in the request.
        public enum Verdict: String, Sendable {
            /// The server does not accept it.
            case refused
            /// The login was right; only its nonce was too old.
            case stale
        }

        /// The server or proxy that asks, with scheme and realm.
        public let space: ProtectionSpace
        /// The answer to the login in the request; nil if the request had no login.
        public let verdict: Verdict?
    }

    /// The decision about a challenge.
    public struct ChallengeDecision: Sendable, Equatable {
        /// The fate of a challenge.
        public enum Verdict: String, Sendable {
            /// The next exchange carries a credential.
            case use
            /// A filter changed something, and the exchange is repeated.
            case retry
            /// No filter has an answer.
            case notHandled
            /// The person cancelled the login.
            case cancel
            /// The engine does not answer it; the reason says why.
            case refused
        }

        /// The server or proxy that asks, with scheme and realm.
        public let space: ProtectionSpace
        /// The fate of the challenge.
        public let verdict: Verdict
        /// The id of the filter that decided; nil if the engine decided.
        public let filter: String?
        /// The reason, for people.
        public let reason: String?
    }

    /// The decision of a filter about a response.
    public struct ResponseDecision: Sendable, Equatable {
        /// The fate of a response.
        public enum Verdict: String, Sendable {
            /// The exchange is repeated.
            case repeatExchange
            /// The conversation starts again.
            case restart
            /// Another response takes its place.
            case replace
        }

        /// The decision.
        public let verdict: Verdict
        /// The id of the filter that decided.
        public let filter: String
        /// The reason, for people.
        public let reason: String?
    }

    /// The answer to a server that asked for a client certificate.
    public struct CertificateUse: Sendable, Equatable {
        /// The kind of answer.
        public enum Verdict: String, Sendable {
            /// The server got a certificate.
            case present
            /// There is no certificate for the server.
            case absent = "none"
            /// The server does not accept the certificate.
            case refused
        }

        /// The server.
        public let origin: Origin
        /// The kind of answer.
        public let verdict: Verdict
        /// The certificate, unless it is absent.
        public let certificate: CertificateSummary?
    }

    /// A wait of more than a second.
    public struct Wait: Sendable, Equatable {
        /// The thing that is waited for, in words that follow "waiting".
        public let reason: String
        /// The length or the limit of the wait; nil if unknown.
        public let duration: Duration?
        /// Whether the duration is a limit.
        public let isLimit: Bool
        /// The duration in seconds, rounded up; nil if unknown.
        public let seconds: Int64?
        /// A sentence, such as `Waiting 23 s for the next one-time code.`
        public let sentence: String

        init(_ wait: LongWait) {
            (reason, duration, isLimit) = (wait.reason, wait.duration, wait.isLimit)
            (seconds, sentence) = (wait.seconds, wait.sentence)
        }

        /// Runs work and reports each wait of more than a second in it, whichever part of the library waits, also
        /// outside of conversations.
        ///
        /// - Parameters:
        ///   - report: receives each wait, on any thread
        ///   - isolation: the actor on which the work runs; the caller's
        ///   - work: the work
        public static func reporting<Value>(
            to report: @escaping @Sendable (Wait) -> Void, isolation: isolated (any Actor)? = #isolation,
            _ work: () async throws -> Value
        ) async rethrows -> Value {
            try await Waiting.$listener.withValue(
                Waiting.Listener { report(Wait($0)) }, operation: work, isolation: isolation)
        }

        /// Runs work that may have to wait outside of a conversation, and reports the wait once it has lasted for more
        /// than a second. Within one, ``ConversationContext/waiting(_:atMost:isolation:_:)`` does the same.
        ///
        /// - Parameters:
        ///   - reason: the reason, in words that follow "waiting"; never secret
        ///   - limit: the maximum wait; nil if there is none
        ///   - isolation: the actor on which the work runs; the caller's
        ///   - work: the work
        public static func during<Value, Failure: Error>(
            _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil,
            isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            try await Waiting.during(reason(), atMost: limit, isolation: isolation, work)
        }
    }
}
