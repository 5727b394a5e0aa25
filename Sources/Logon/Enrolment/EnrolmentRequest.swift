package import HttpConversation

/// Whom a certificate is wanted for.
public struct EnrolmentRequest: Hashable, Sendable {
    /// The name of the person or device, the certificate's common name (`CN`): 1 to 64 characters.
    public var commonName: String
    /// The unit of the organisation (`OU`), such as the application's id; nil: none.
    public var organizationalUnit: String?
    /// The organisation (`O`); nil: none.
    public var organization: String?
    package let challengePassword: Redacted<String>?

    /// Whom a certificate is wanted for.
    ///
    /// - Parameters:
    ///   - commonName: the CN of the subject
    ///   - organizationalUnit: the OU of the subject
    ///   - organization: the O of the subject
    ///   - challengePassword: what the person was given for this one certificate; part of the request (RFC 2985
    ///     §5.4.1). Nil where the server knows in another way who asks, such as by a login.
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
