/// What the landscape's enrolment service has counted since the start or the last reset.
package struct EnrolmentCounters: Sendable, Hashable, Codable {
    /// Certificates that were made, wrong ones included.
    package var issued = 0
    /// Those of them that took an old one's place.
    package var renewed = 0
    /// Requests that are none, or whose signature is wrong.
    package var malformed = 0
    /// Requests of somebody who may not have that certificate.
    package var refused = 0

    /// All zero.
    package init() {}
}
