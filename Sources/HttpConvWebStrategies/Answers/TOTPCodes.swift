import Foundation
import HttpConversation
import Synchronization

/// Makes one-time codes, none of them twice: a server takes each only once.
struct TOTPCodes: Sendable {
    /// The last period whose code was used, by the fingerprint of the secret; for the whole process.
    private static let lastUsed = Mutex<[String: UInt64]>([:])

    let clock: any TOTPClock
    let directory: URL?

    /// The code of this moment, or of the first period whose code nobody has used.
    func next(for secret: TOTPSecret) async throws -> Redacted<String> {
        while true {
            let current = UInt64(max(0, clock.now.timeIntervalSince1970)) / UInt64(secret.period)
            guard let taken = try await claim(current, of: secret) else {
                return Redacted(secret.code(counter: current))
            }
            try await clock.sleep(until: Date(timeIntervalSince1970: Double((taken + 1) * UInt64(secret.period))))
        }
    }

    /// - Returns: nil where the period is now ours, else the last one that somebody has
    private func claim(_ counter: UInt64, of secret: TOTPSecret) async throws -> UInt64? {
        if let directory {
            let file = TOTPUseFile(
                directory: directory.path(percentEncoded: false), fingerprint: secret.fingerprint)
            if let taken = try await file.claim(counter) { return taken }
        }
        return Self.lastUsed.withLock { lastUsed in
            let last = lastUsed[secret.fingerprint]
            if let last, Self.isTaken(counter, last: last) { return last }
            lastUsed[secret.fingerprint] = counter
            return nil
        }
    }

    /// A note from the far future was made by a clock that was wrong: waiting for it would never end.
    static func isTaken(_ counter: UInt64, last: UInt64) -> Bool { counter == last || counter + 1 == last }
}
