import HttpConvFormats
public import HttpConvPlatform

/// The contents of a certificate, of a client's identity or of a server, for people and for decisions.
public struct CertificateSummary: Hashable, Sendable {
    /// The subject, such as `CN=alice,O=Example`. Its text comes from the certificate's applicant.
    public let subject: String
    /// The issuer.
    public let issuer: String
    /// The names that it is valid for (subject alternative names): host names, addresses, mail addresses.
    public let names: [String]
    /// The start of its validity.
    public let notBefore: Date
    /// The end of its validity.
    public let notAfter: Date
    /// The SHA-256 digest of the certificate.
    public let fingerprint: [UInt8]
    /// The SHA-256 digest of its public key (SubjectPublicKeyInfo), as pins name it (RFC 7469 §2.4).
    public let publicKeyFingerprint: [UInt8]

    /// Creates a summary.
    public init(
        subject: String, issuer: String, names: [String], notBefore: Date, notAfter: Date, fingerprint: [UInt8],
        publicKeyFingerprint: [UInt8]
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.publicKeyFingerprint = publicKeyFingerprint
    }

    /// ``fingerprint`` in hexadecimal, with a colon between the bytes.
    public var fingerprintText: String {
        fingerprint.map { Hexadecimal.capitals([$0]) }.joined(separator: ":")
    }

    /// ``publicKeyFingerprint`` as a pin, such as `sha256//YhKJ…=`.
    public var pin: String { "sha256//" + Data(publicKeyFingerprint).base64EncodedString() }

    /// The digest of a pin such as `sha256//YhKJ…=`; nil if the text is not a pin.
    public static func publicKeyFingerprint(ofPin pin: String) -> [UInt8]? {
        guard pin.hasPrefix("sha256//"), let digest = Data(base64Encoded: String(pin.dropFirst("sha256//".count))),
            digest.count == 32
        else { return nil }
        return Array(digest)
    }
}

extension CertificateSummary: CustomStringConvertible {
    /// Subject and issuer, sanitised.
    public var description: String {
        "\(TerminalText.sanitise(subject)), issued by \(TerminalText.sanitise(issuer))"
    }
}
