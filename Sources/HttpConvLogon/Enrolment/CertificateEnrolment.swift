/// Gets certificates for a device: one at registration, and a new one before the old one expires.
///
/// ``HTTPSEnrolment`` asks a server over https. An implementation checks what the server answers.
/// ``CertificateRenewal`` decides when to renew, and keeps the old certificate until the new one is stored.
public protocol CertificateEnrolment: Sendable {
    /// Makes a key, and gets a certificate for it.
    ///
    /// - Throws: ``EnrolmentError``; then there is no certificate
    func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity

    /// Makes a new key, and gets a certificate for it with the subject of the old one. The old certificate
    /// authenticates the request.
    ///
    /// - Throws: ``EnrolmentError``; then the old one is still valid
    func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity
}
