import HttpConversation

/// Tokens that are bound to a certificate (RFC 8705 §3).
extension OAuth2Flow {
    /// Whether tokens are bound to another certificate than the one that their server is shown: they would be refused.
    /// Where nobody can tell before a server has asked, the server says so.
    func isBoundElsewhere(
        _ tokens: OAuth2Tokens?, _ support: any OAuth2ServerSupport, _ target: TargetURL,
        _ context: @autoclosure () -> ConversationContext
    ) async throws -> Bool {
        guard let bound = tokens?.certificateThumbprint else { return false }
        // The client's own is what the token endpoint would be shown, too: new tokens fit it.
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

    /// The certificates of clients, for the servers that their tokens go to.
    var certificateProviders: [any ClientCertProvider] {
        supports.compactMap { support in support.authentication?.certificate?.forResources(of: support) }
    }
}
