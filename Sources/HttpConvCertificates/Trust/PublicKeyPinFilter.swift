public import HttpConversation

/// Pins the keys of servers: refuses a server whose certificate has another key, even if an authority issued it.
///
/// The certificate must still be valid, for the server's name and from a trusted authority: a pin does not replace
/// these checks.
/// ```swift
/// configuration.challengeFilters.add(try PublicKeyPinFilter("sha256//YhKJG3phE6xw3TXJdrKg2MKyqqcROF5zRmSLpOIF8qM=", for: [origin]))
/// ```
public struct PublicKeyPinFilter: ChallengeFilter {
    public let handles: Set<AuthenticationMethod> = [.serverTrust]
    public var requiredCapabilities: TransportCapabilities { .serverTrust }

    private let pins: Set<[UInt8]>
    private let origins: [Origin]

    /// Creates a filter for pins in the form of curl and RFC 7469: SHA-256 digests of public keys in base64, each after
    /// `sha256//`, separated by semicolons.
    ///
    /// - Parameters:
    ///   - text: the pins
    ///   - origins: the servers that are pinned; empty: all
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration`` for an invalid list of pins
    public init(_ text: String, for origins: [Origin] = []) throws(ConversationError) {
        let digests = text.split(separator: ";", omittingEmptySubsequences: false).map {
            CertificateSummary.publicKeyFingerprint(ofPin: String($0))
        }
        let pins = digests.compactMap { $0 }
        guard pins.count == digests.count, !pins.isEmpty else {
            throw ConversationError(
                .invalidConfiguration,
                "A pin is \"sha256//\" and the SHA-256 digest of a public key in base64; several have semicolons between them."
            )
        }
        self.pins = Set(pins)
        self.origins = origins
    }

    /// The pinned servers.
    public var connectionPolicy: ConnectionPolicy { ConnectionPolicy([.pinnedKeys], for: origins) }

    public func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
        var terms = ServerTrustTerms()
        if pins(origin) { terms.pins = pins }
        return terms
    }

    private func pins(_ origin: Origin) -> Bool { origins.isEmpty || origins.contains(origin) }

    public func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        let origin = challenge.target.origin
        guard let trust = challenge.serverTrust, pins(origin) else { return .notHandled }
        if let summary = trust.summary, pins.contains(summary.publicKeyFingerprint) { return .notHandled }
        throw ConversationError(
            .publicKeyNotPinned,
            "The public key of \(origin) is not the pinned one: its pin is \(trust.summary?.pin ?? "unknown"). Nothing was sent.",
            underlyingError: ServerTrustError(trust: trust, origin: origin), challenge: challenge)
    }
}
