package import HttpConversation

/// The subject of a certificate, and the request's challenge password.
public struct EnrolmentRequest: Hashable, Sendable {
    /// The name of the person or device, the certificate's common name (`CN`): 1 to 64 characters.
    public var commonName: String
    /// The unit of the organisation (`OU`), such as the application's id; nil: none.
    public var organizationalUnit: String?
    /// The organisation (`O`); nil: none.
    public var organization: String?
    /// The URL scheme of the application that enrols, for a ``CertificateEnrolment`` that opens one
    /// (``LogonOptions/afariaURLScheme``); nil: its usual scheme.
    public var urlScheme: String?
    package let challengePassword: Redacted<String>?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - commonName: the CN of the subject
    ///   - organizationalUnit: the OU of the subject
    ///   - organization: the O of the subject
    ///   - challengePassword: the password that the person was given for this one certificate; part of the request (RFC
    ///     2985 §5.4.1). Nil if a login authenticates the request.
    public init(
        commonName: String, organizationalUnit: String? = nil, organization: String? = nil,
        challengePassword: String? = nil
    ) {
        self.commonName = commonName
        self.organizationalUnit = organizationalUnit
        self.organization = organization
        self.challengePassword = challengePassword.map { Redacted($0) }
    }
}
