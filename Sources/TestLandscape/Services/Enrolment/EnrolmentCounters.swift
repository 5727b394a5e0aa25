/// The counters of a landscape's enrolment service since the start or the last reset.
public struct EnrolmentCounters: Sendable, Hashable, Codable {
    /// Issued certificates, wrong ones included.
    public var issued = 0
    /// Issued certificates that replaced an old one.
    public var renewed = 0
    /// Malformed requests, or requests with a wrong signature.
    public var malformed = 0
    /// Requests for a certificate that the client may not have.
    public var refused = 0

    /// All zero.
    package init() {}
}
