import HttpConversation

extension OAuth2Flow {
    /// Whether tokens must not be sent, or would be refused: the support requires tokens that are bound to a key, and
    /// these are not, or they are bound to another certificate. Such tokens can still be refreshed.
    nonisolated(nonsending) func isUnfit(
        _ tokens: OAuth2Tokens?, _ support: any OAuth2ServerSupport, _ target: TargetURL,
        _ context: @autoclosure () -> ConversationContext
    ) async throws -> Bool {
        guard let tokens else { return false }
        if tokens.dpopKey == nil, support.requiresBoundTokens { return true }
        return try await isBoundElsewhere(tokens, support, target, context())
    }
}

/// Tokens that are bound to a certificate (RFC 8705 §3).
extension OAuth2Flow {
    /// Whether tokens are bound to another certificate than their server gets: they would be refused. False if the
    /// certificate is not known before the server asks; then the server refuses the tokens itself.
    nonisolated(nonsending) func isBoundElsewhere(
        _ tokens: OAuth2Tokens?, _ support: any OAuth2ServerSupport, _ target: TargetURL,
        _ context: @autoclosure () -> ConversationContext
    ) async throws -> Bool {
        guard let bound = tokens?.certificateThumbprint else { return false }
        // The token endpoint gets the client's own certificate too, so new tokens match it.
        guard let own = support.authentication?.certificate else {
            return context().shownIdentity(to: target).map { $0.thumbprint != bound } ?? false
        }
        return try await own.identity(aheadOf: target, in: context())?.thumbprint != bound
    }

    static func boundElsewhere(_ key: OAuth2TokenKey, _ target: TargetURL) -> OAuth2Error {
        OAuth2Error(
            .clientCertificateUnusable,
            "The tokens for \(key) are bound to the certificate that the token endpoint was shown, and \(target.origin) is shown another one: use the same for both."
        )
    }

    /// The certificates of OAuth2 clients, for the servers that get their tokens.
    var certificateProviders: [any ClientCertProvider] {
        supports.compactMap { support in support.authentication?.certificate?.forResources(of: support) }
    }
}

/// Tokens that are bound to a key (RFC 9449).
extension OAuth2Flow {
    /// Whether the last exchange, with this server, had a proof.
    func sentBoundTokens(to target: TargetURL, in context: ConversationContext) -> Bool {
        progress(context).sent.map { $0.tokens.dpopKey != nil && $0.target.origin == target.origin } ?? false
    }

    /// Whether a challenge refuses only the proof of the last exchange, so that the exchange is repeated with a new
    /// one: once, because a server could go on (RFC 9449 §9).
    ///
    /// - Throws: ``OAuth2Error/Code/proofRefused`` for the second refusal in a row. A login would not help
    func renewsProof(_ challenge: OAuth2Challenge) throws(OAuth2Error) -> Bool {
        let context = challenge.context
        guard let response = challenge.response, sentBoundTokens(to: challenge.target, in: context) else {
            return false
        }
        nonces.note(response.headerFields, from: challenge.target.origin, .resource)
        guard challenge.refusesProof else {
            update(context) { $0.hasRenewedProof = false }
            return false
        }
        let isFirst = update(context) { progress in
            defer { progress.hasRenewedProof = true }
            return !progress.hasRenewedProof
        }
        if isFirst { return true }
        throw OAuth2Error(
            .proofRefused,
            "\(challenge.target.origin) refuses the proof for bound tokens twice in a row: is the clock of this machine right?",
            serverError: challenge.parameter("error"), status: response.status.code)
    }
}
