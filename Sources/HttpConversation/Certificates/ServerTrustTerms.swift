/// Terms that filters declare for one server's certificate: see ``ChallengeFilter/serverTrustTerms(for:)``.
///
/// The platform's verifier judges every certificate. Terms make it stricter (``pins``), add an authority for this one
/// server (``authorities``), or name a key that is accepted despite an invalid certificate (``acceptedKeys``). They
/// apply to one origin only (security rule S27).
public struct ServerTrustTerms: Hashable, Sendable {
    /// Certificates of authorities in DER, trusted for this server in addition to the transport's.
    public var authorities: [[UInt8]] = []
    /// SHA-256 digests of public keys (``CertificateSummary/publicKeyFingerprint``). A server that proves to have one
    /// of these keys is accepted, whatever else is wrong with its certificate.
    public var acceptedKeys: Set<[UInt8]> = []
    /// SHA-256 digests of public keys, one of which the server must have; nil: any key.
    ///
    /// The filter that pins still checks by itself. A transport that skips verification uses this value to refuse
    /// early.
    public var pins: Set<[UInt8]>?

    /// Creates empty terms.
    public init() {}

    /// Whether the server's key is an accepted one.
    public func accepts(_ trust: ServerTrust) -> Bool {
        trust.summary.map { acceptedKeys.contains($0.publicKeyFingerprint) } ?? false
    }

    /// Adds the terms of another filter: a server has to satisfy the pins of both.
    mutating func add(_ other: ServerTrustTerms) {
        authorities += other.authorities
        acceptedKeys.formUnion(other.acceptedKeys)
        if let pins, let more = other.pins { self.pins = pins.intersection(more) } else { pins = pins ?? other.pins }
    }
}
