package import Foundation
package import HTTPTypes
import HttpConvNumbers

/// The pause that a server asks for (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// - Parameters:
    ///   - now: the time that a date is compared with
    ///   - longest: the upper limit; longer pauses are reduced to it
    /// - Returns: nil without the field, or with an invalid one
    package static func read(
        _ fields: HTTPFields, now: Date, atMost longest: Duration = .seconds(1_000_000_000)
    ) -> Duration? {
        let values = fields[values: .retryAfter]
        guard values.count == 1, let text = values.first?.trimmingSpaces else { return nil }
        if let seconds = PeerNumber.integer(text, clampingTo: 1 << 40) { return min(.seconds(seconds), longest) }
        return CookieDate.parse(String(text)).flatMap {
            PeerNumber.seconds($0.timeIntervalSince(now), clampingTo: .zero...longest)
        }
    }
}
