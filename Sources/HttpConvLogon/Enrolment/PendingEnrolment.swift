import HttpConvPlatform
import HttpConversation

/// A certificate that was enrolled for a registration that has not succeeded yet. It is in memory only.
struct PendingEnrolment: Sendable {
    let request: EnrolmentRequest
    /// The server of the registration.
    let origin: Origin
    let identity: EnrolledIdentity

    /// Whether the certificate can be used instead of a new one. A new challenge password asks for a new certificate.
    func serves(_ request: EnrolmentRequest, at origin: Origin, now: Date) -> Bool {
        origin == self.origin && now < identity.identity.summary.notAfter
            && request.commonName == self.request.commonName
            && request.organizationalUnit == self.request.organizationalUnit
            && (request.challengePassword == nil || request.challengePassword == self.request.challengePassword)
    }
}
