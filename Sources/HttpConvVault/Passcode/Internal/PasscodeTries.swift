internal import HttpConvPlatform

/// The count of tries and the policy, in a file beside the vault: both are needed before the vault is open.
struct PasscodeTries: Codable, Equatable {
    static let fileName = "passcode.tries"
    private static let limit = 16 << 10

    /// The policy. This file can be tampered with; the vault's own copy takes precedence.
    var policy: PasswordPolicy
    /// The number of consecutive tries that are not known to have succeeded.
    private(set) var failures = 0
    /// The number of tries ever. The vault records it too: a lower number here was put back.
    private(set) var total: Int64 = 0
    /// Whether a wipe has begun.
    private(set) var isMarkedForWipe = false

    init(policy: PasswordPolicy) { self.policy = policy }

    /// The number of consecutive tries allowed; nil: unlimited.
    private var tryLimit: Int? { policy.retryLimit > 0 ? policy.retryLimit : nil }

    /// The number of tries left; nil: unlimited.
    var left: Int? { tryLimit.map { max($0 - failures, 0) } }

    /// Whether the vault has to be wiped before anything else.
    var mustWipe: Bool { isMarkedForWipe || left == 0 }

    /// Counts a try that is about to happen.
    mutating func count() {
        failures += 1
        total += 1
    }

    /// Resets the count after a right passcode.
    mutating func forgive() { failures = 0 }

    /// Takes back a try that ended without a verdict, because it revealed nothing.
    mutating func uncount() { failures -= 1 }

    mutating func markForWipe() { isMarkedForWipe = true }

    /// Adopts a newer policy. If that leaves no try, one remains: the person who has the vault open knows the passcode,
    /// and a policy change must not wipe their vault.
    mutating func adopt(_ policy: PasswordPolicy) {
        self.policy = policy
        if let tryLimit { failures = min(failures, tryLimit - 1) }
    }

    static func load(from directory: borrowing VaultDirectory) throws -> PasscodeTries? {
        guard let bytes = try directory.read(fileName, upTo: limit) else { return nil }
        guard let tries = read(bytes) else {
            throw PasscodeVaultFailure.damaged("\(directory.path)/\(fileName) cannot be read")
        }
        return tries
    }

    /// The count in a file's bytes; nil if they are damaged.
    static func read(_ bytes: [UInt8]) -> PasscodeTries? {
        guard let tries = try? JSONDecoder().decode(PasscodeTries.self, from: Data(bytes)),
            (0..<Int.max).contains(tries.failures), (0..<Int64.max).contains(tries.total)
        else { return nil }
        return tries
    }

    func store(in directory: borrowing VaultDirectory, drafted: () -> Void) throws {
        try directory.replace(Self.fileName, with: Array(try JSONEncoder().encode(self)), drafted: drafted)
    }
}
