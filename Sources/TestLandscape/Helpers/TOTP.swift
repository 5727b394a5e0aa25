import Crypto
import Foundation

/// Time-based one-time passwords (RFC 6238): SHA-1, 30 seconds, six digits.
enum TOTP {
    /// The number of the period that the moment falls into.
    static func step(at date: Date) -> UInt64 {
        UInt64(max(0, date.timeIntervalSince1970) / 30)
    }

    /// The password of a period (RFC 4226, 5.3).
    static func code(secret: [UInt8], step: UInt64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> UInt64(56 - 8 * $0)) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
