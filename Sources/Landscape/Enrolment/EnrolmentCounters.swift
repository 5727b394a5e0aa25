/// The counters of a landscape's enrolment service since the start or the last reset.
package struct EnrolmentCounters: Sendable, Hashable, Codable {
    /// Issued certificates, wrong ones included.
    package var issued = 0
    /// Issued certificates that replaced an old one.
    package var renewed = 0
    /// Malformed requests, or requests with a wrong signature.
    package var malformed = 0
    /// Requests for a certificate that the client may not have.
    package var refused = 0

    /// All zero.
    package init() {}
}
