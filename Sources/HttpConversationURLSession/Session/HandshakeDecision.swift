import HttpConversation

/// Answers the questions of one exchange's handshakes.
struct HandshakeDecision: Sendable {
    /// A question of a TLS handshake, in plain values: a `URLAuthenticationChallenge`.
    struct Question: Hashable, Sendable {
        enum Method: Hashable, Sendable {
            case serverTrust, clientCertificate
            /// Such as a 401, which is a response: the conversation answers it.
            case other
        }

        let method: Method
        let host: String
        let port: Int
        let isProxy: Bool
    }

    /// The answer to a question.
    enum Answer: Sendable {
        /// The system decides.
        case byDefault
        /// The server is trusted.
        case trusted
        case identity(ClientIdentity)
        /// The handshake goes on without a client certificate.
        case noIdentity
        /// The exchange ends, and the connection is not used.
        case refused(ConversationError)
    }

    let options: TransportOptions
    let origin: Origin
    var shown = ShownIdentities.shared

    /// - Parameter judge: the system's judgement of the server, with additional authorities in DER
    func answer(_ question: Question, judge: @Sendable ([[UInt8]]) async -> ServerTrust) async -> Answer {
        // A proxy is shown no certificate, and judged by the system alone.
        let isServer = !question.isProxy && question.host.lowercased() == origin.host && question.port == origin.port
        guard question.method != .other, isServer else { return .byDefault }
        do throws(ConversationError) {
            // Another exchange may have shown a certificate since this one was sent.
            try await shown.check(options.clientIdentity, for: origin)
            switch question.method {
            case .serverTrust:
                guard let policy = options.serverTrust else { return .byDefault }
                let terms = policy.terms(for: origin)
                let found = await judge(terms.authorities)
                try await policy.check(terms.accepts(found) ? found.withoutProblems : found, of: origin)
                return .trusted
            case .clientCertificate:
                guard let source = options.clientIdentity else { return .byDefault }
                guard let identity = try await source.identity() else { return .noIdentity }
                guard shown.show(identity, of: source, to: origin) else { throw ShownIdentities.refusal(origin) }
                return .identity(identity)
            case .other: return .byDefault
            }
        } catch { return .refused(error) }
    }
}
