public import HTTPTypes
import HttpConvFormats
public import HttpConvPlatform

/// The pause that a server asks for (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// Reads `Retry-After`.
    ///
    /// - Parameters:
    ///   - fields: the fields of the response
    ///   - now: the current time, with which a date is compared if the response has no `Date` field
    ///   - longest: the upper limit; longer pauses are reduced to it
    /// - Returns: nil without the field, or with an invalid one
    public static func read(
        _ fields: HTTPFields, now: Date, atMost longest: Duration = .seconds(1_000_000_000)
    ) -> Duration? {
        let values = fields[values: .retryAfter]
        guard values.count == 1, let text = values.first?.trimmingSpaces else { return nil }
        if let seconds = PeerNumber.integer(text, clampingTo: 1 << 40) { return min(.seconds(seconds), longest) }
        let now = fields[.date].flatMap { HTTPDate.parse($0) } ?? now
        return HTTPDate.parse(String(text)).flatMap {
            PeerNumber.seconds($0.timeIntervalSince(now), clampingTo: .zero...longest)
        }
    }
}
