import Foundation
import Synchronization

/// Checks one-time passwords. Each works once, and ends all earlier ones.
final class PasscodeStore: Sendable {
    enum Outcome: Sendable {
        case right
        case wrong
        case repeated
        /// The try came too soon after a wrong code.
        case throttled
    }

    private struct Account {
        var lastStep: UInt64 = 0
        var failures = 0
        var blockedUntil = Duration.zero
    }

    private let clock: LandscapeClock
    private let accounts = Mutex<[String: Account]>([:])

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    /// Checks a password, and notes its use or the mistake.
    func check(_ passcode: String, of user: LandscapeUser, rule: OTPRule) -> Outcome {
        let (now, current) = (clock.now, TOTP.step(at: clock.date))
        let given = passcode.filter { !$0.isWhitespace }
        guard let secret = user.totpSecret.flatMap(Base32.decode) else { return .wrong }
        let first = current > rule.tolerance ? current - rule.tolerance : 0
        let step = (first...(current + rule.tolerance)).first {
            UserDirectory.equal(TOTP.code(secret: secret, step: $0), given)
        }
        return accounts.withLock { accounts in
            var account = accounts[user.name] ?? Account()
            defer { accounts[user.name] = account }
            if now < account.blockedUntil { return .throttled }
            guard let step, step > account.lastStep else {
                account.failures += 1
                if let base = rule.throttle {
                    account.blockedUntil = now + base * (1 << min(account.failures - 1, 10))
                }
                return step == nil ? .wrong : .repeated
            }
            account = Account(lastStep: step)
            return .right
        }
    }

    func removeAll() {
        accounts.withLock { $0 = [:] }
    }
}
