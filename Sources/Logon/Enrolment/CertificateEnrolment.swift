/// Gets certificates for a device: one when an application comes aboard, and a new one before that is too old.
///
/// ``HTTPSEnrolment`` asks a server of its own for them. Whoever implements this checks what a server answers.
/// ``CertificateRenewal`` decides when to renew, and keeps what there is until the new one is stored.
public protocol CertificateEnrolment: Sendable {
    /// Makes a key, and gets a certificate for it.
    ///
    /// - Throws: ``EnrolmentError``; there is no certificate then
    func enrol(_ request: EnrolmentRequest) async throws(EnrolmentError) -> EnrolledIdentity

    /// Makes a new key, and gets a certificate for it and for who the old one is for. The old one says who asks.
    ///
    /// - Throws: ``EnrolmentError``; the old one is as good as before
    func renew(_ identity: EnrolledIdentity) async throws(EnrolmentError) -> EnrolledIdentity
}
