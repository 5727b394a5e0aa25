import HttpConversation

/// Tokens that are bound to a certificate (RFC 8705 §3).
extension OAuth2Flow {
    /// Whether tokens are bound to another certificate than their server gets: they would be refused. False if the
    /// certificate is not known before the server asks; then the server refuses the tokens itself.
    func isBoundElsewhere(
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
