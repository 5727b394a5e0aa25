/// A fault of the certificates that the landscape issues for devices.
package enum EnrolmentFault: String, Sendable, CaseIterable {
    /// A certificate for a key that the device does not have.
    case otherKey = "other-key"
    /// A certificate for another subject.
    case otherSubject = "other-subject"
    /// A certificate that was valid yesterday.
    case expired
    /// A certificate that will be valid tomorrow.
    case notYetValid = "not-yet-valid"
    /// A certificate that is valid for a few seconds.
    case shortLived = "short-lived"
    /// A certificate of an unknown authority.
    case wrongAuthority = "wrong-authority"
    /// A certificate that names the right authority, but is signed with another key.
    case forged
    /// A certificate that may issue others.
    case authority
    /// A certificate for servers.
    case serverPurpose = "server-purpose"
    /// The authority's certificate before the client's.
    case wrongOrder = "wrong-order"
    /// The right certificate, then an unrelated one.
    case stranger
    /// The same certificate a hundred times.
    case many
    /// A private key beside the certificate.
    case withKey = "with-key"
    /// The certificate without PEM around it.
    case der
    /// PEM around bytes that cannot be parsed.
    case garbage
    /// A truncated certificate.
    case cut
    /// An empty answer.
    case empty
    /// A megabyte of PEM.
    case huge
    /// PEM that never ends.
    case endless
    /// An answer that arrives byte by byte, with pauses.
    case slow
    /// A page with the status 200, as of a captive portal.
    case page
    /// A captive portal's page with the status 511.
    case portal
    /// A redirect to a portal.
    case redirect
    /// A redirect that keeps the method and body, to another place.
    case repeatElsewhere = "repeat-elsewhere"
    /// The status 503.
    case unavailable
}
