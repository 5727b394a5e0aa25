/// What filters say beforehand about the certificate of one server: see ``ChallengeFilter/serverTrustTerms(for:)``.
///
/// The platform's verifier judges every certificate. Terms are stricter (``pins``), add an authority for this one server
/// (``authorities``), or name the exact key that is accepted in place of a valid certificate (``acceptedKeys``). They are
/// for one origin and change nothing for another (security rule S27).
public struct ServerTrustTerms: Hashable, Sendable {
    /// Certificates of authorities in DER. They may vouch for the server beside those that the transport trusts.
    public var authorities: [[UInt8]] = []
    /// SHA-256 digests of public keys (``CertificateSummary/publicKeyFingerprint``). A server that proves to have one of
    /// these keys is accepted, whatever else is wrong with its certificate.
    public var acceptedKeys: Set<[UInt8]> = []
    /// SHA-256 digests of public keys, one of which the server must have; nil: any key.
    ///
    /// The filter that pins still refuses by itself. A transport uses this value to refuse early where it verifies nothing
    /// else.
    public var pins: Set<[UInt8]>?

    /// No authorities, no keys.
    public init() {}

    /// Whether the server's key is an accepted one.
    public func accepts(_ trust: ServerTrust) -> Bool {
        trust.summary.map { acceptedKeys.contains($0.publicKeyFingerprint) } ?? false
    }

    /// Adds the terms of another filter: a server has to fulfil the pins of both.
    mutating func add(_ other: ServerTrustTerms) {
        authorities += other.authorities
        acceptedKeys.formUnion(other.acceptedKeys)
        if let pins, let more = other.pins { self.pins = pins.intersection(more) } else { pins = pins ?? other.pins }
    }
}
