internal import DataVault
internal import Foundation
internal import MobileServices

/// How often the passcode was tried, and what the policy says about it: beside the vault, for it has to be known and
/// written before the vault is open.
struct PasscodeTries: Codable, Equatable {
    static let fileName = "passcode.tries"
    private static let limit = 16 << 10

    /// The policy, as far as nobody has changed this file: the vault knows better.
    var policy: PasswordPolicy
    /// How many tries in a row were not seen to succeed.
    private(set) var failures = 0
    /// How many tries there ever were. The vault remembers it, too: a smaller one was put back.
    private(set) var total: Int64 = 0
    /// Whether somebody has begun to destroy the vault.
    private(set) var isDoomed = false

    init(policy: PasswordPolicy) { self.policy = policy }

    /// How many tries there are in a row; nil: any number.
    private var tryLimit: Int? { policy.retryLimit > 0 ? policy.retryLimit : nil }

    /// How many tries are left; nil: any number.
    var left: Int? { tryLimit.map { max($0 - failures, 0) } }

    /// Whether the vault has to go before anybody tries anything.
    var isOver: Bool { isDoomed || left == 0 }

    /// Counts a try that is about to happen.
    mutating func count() {
        failures += 1
        total += 1
    }

    /// The last try was right.
    mutating func forgive() { failures = 0 }

    /// The last try came to no verdict: it told nobody anything.
    mutating func takeBack() { failures -= 1 }

    mutating func doom() { isDoomed = true }

    /// Takes over a newer policy. Where it leaves no try it leaves one: who has the vault open knows the passcode, and is
    /// not to lose everything by an administrator's hand.
    mutating func adopt(_ policy: PasswordPolicy) {
        self.policy = policy
        if let tryLimit { failures = min(failures, tryLimit - 1) }
    }

    static func load(from directory: borrowing VaultDirectory) throws -> PasscodeTries? {
        guard let bytes = try directory.read(fileName, upTo: limit) else { return nil }
        guard let tries = try? JSONDecoder().decode(PasscodeTries.self, from: Data(bytes)),
            (0..<Int.max).contains(tries.failures), (0..<Int64.max).contains(tries.total)
        else { throw VaultFailure.damaged("\(directory.path)/\(fileName) cannot be read") }
        return tries
    }

    func store(in directory: borrowing VaultDirectory, drafted: () -> Void = {}) throws {
        try directory.replace(Self.fileName, with: Array(try JSONEncoder().encode(self)), drafted: drafted)
    }
}
