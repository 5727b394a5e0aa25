import HttpConversation

/// Answers the questions of one exchange's handshakes.
struct HandshakeDecision: Sendable {
    /// A question of a TLS handshake, in plain values: a `URLAuthenticationChallenge`.
    struct Question: Hashable, Sendable {
        enum Method: Hashable, Sendable {
            case serverTrust, clientCertificate
            /// The system could answer with a ticket or the login of this machine: Negotiate, NTLM.
            case ticket
            /// Such as Basic: a 401 is a response, which the conversation answers.
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
        /// The system does not answer: a 401 or 407 is the response.
        case rejected
        /// The exchange ends, and the connection is not used.
        case refused(ConversationError)
    }

    let options: TransportOptions
    let origin: Origin
    /// Whether the application has named the proxies, which may then get a ticket. Others come from the network.
    var hasNamedProxies = false
    var shown = ShownIdentities.shared

    /// - Parameter judge: the system's judgement of the server, with additional authorities in DER
    func answer(_ question: Question, judge: @Sendable ([[UInt8]]) async -> ServerTrust) async -> Answer {
        guard !question.isProxy else { return Self.bySystem(question, hasNamedProxies: hasNamedProxies) }
        guard question.method != .ticket, question.method != .other else { return .rejected }
        guard isServer(question) else { return answerOther(question) }
        do throws(ConversationError) {
            // Another exchange may have shown a certificate since this one was sent.
            try await shown.check(options.clientIdentity, for: origin)
            if question.method == .clientCertificate { return try await identity() }
            guard let policy = options.serverTrust else { return .byDefault }
            let terms = policy.terms(for: origin)
            let found = await judge(terms.authorities)
            try await policy.check(terms.accepts(found) ? found.withoutProblems : found, of: origin)
            return .trusted
        } catch { return .refused(error) }
    }

    private func identity() async throws(ConversationError) -> Answer {
        // By default the system could choose one.
        guard let source = options.clientIdentity, let identity = try await source.identity() else {
            return .noIdentity
        }
        guard shown.show(identity, of: source, to: origin) else { throw ShownIdentities.refusal(origin) }
        return .identity(identity)
    }

    /// The answer of a proxy or a background session: the system judges the server, and has a proxy's password. No
    /// certificate is shown, and a ticket only to a proxy that the application has named (security rule S7).
    static func bySystem(_ question: Question, hasNamedProxies: Bool) -> Answer {
        switch question.method {
        case .serverTrust, .other: .byDefault
        case .clientCertificate: .noIdentity
        case .ticket: question.isProxy && hasNamedProxies ? .byDefault : .rejected
        }
    }

    /// A question about another server than the exchange's. URLSession's redirects are off, so there should be none.
    private func answerOther(_ question: Question) -> Answer {
        guard question.method == .serverTrust else { return .noIdentity }
        guard options.serverTrust != nil else { return .byDefault }
        return .refused(
            ConversationError(
                .certificateNotTrusted,
                "URLSession asks about the certificate of \(question.host):\(question.port) in an exchange with \(origin.hostAndPort), whose certificate a filter judges. The connection was closed."
            ))
    }

    private func isServer(_ question: Question) -> Bool {
        func plain(_ host: String) -> String { host.lowercased().filter { $0 != "[" && $0 != "]" } }
        return plain(question.host) == plain(origin.host) && question.port == origin.port
    }
}
