/// What goes wrong with certificates that the landscape makes for devices.
package enum EnrolmentFault: String, Sendable, CaseIterable {
    /// A certificate for a key that the device does not have.
    case otherKey = "other-key"
    /// A certificate for somebody else.
    case otherSubject = "other-subject"
    /// A certificate that was valid yesterday.
    case expired
    /// A certificate that will be valid tomorrow.
    case notYetValid = "not-yet-valid"
    /// A certificate that is valid for some seconds.
    case shortLived = "short-lived"
    /// A certificate of an authority that nobody knows.
    case wrongAuthority = "wrong-authority"
    /// A certificate that says it is of the right authority, and is not.
    case forged
    /// A certificate that may vouch for others.
    case authority
    /// A certificate for servers.
    case serverPurpose = "server-purpose"
    /// The authority's certificate first.
    case wrongOrder = "wrong-order"
    /// The right certificate, then one that has nothing to do with it.
    case stranger
    /// The same certificate a hundred times.
    case many
    /// A private key beside the certificate.
    case withKey = "with-key"
    /// The certificate without PEM around it.
    case der
    /// PEM around bytes that are no certificate.
    case garbage
    /// A certificate that breaks off.
    case cut
    /// Nothing.
    case empty
    /// A megabyte of PEM.
    case huge
    /// PEM that never ends.
    case endless
    /// A byte now and then.
    case slow
    /// A page with the status 200, as of a captive portal.
    case page
    /// The same with 511.
    case portal
    /// A redirect to a portal.
    case redirect
    /// A redirect that wants the request sent once more, elsewhere.
    case repeatElsewhere = "repeat-elsewhere"
    /// 503.
    case unavailable
}
