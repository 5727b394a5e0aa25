import Foundation
import Synchronization

@testable import HttpConvVault

/// A clock that a test advances; sleeping on it advances it, too.
final class ManualClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    private let pauses = Mutex<[Duration]>([])

    var slept: [Duration] { pauses.withLock { $0 } }

    func advance(_ duration: Duration) { time.withLock { $0 += duration.seconds } }

    var options: DataVaultConfiguration {
        DataVaultConfiguration { options in
            options.clock = VaultClock(
                date: { self.time.withLock { $0 } },
                sleep: { duration in
                    try Task.checkCancellation()
                    self.pauses.withLock { $0.append(duration) }
                    self.advance(duration)
                })
        }
    }
}
