internal import DataVault
internal import Foundation
internal import MobileServices

/// What the vault itself knows about its passcode: encrypted, so that nobody changes it without the key.
struct PasscodeRecord: Codable, Equatable, Sendable {
    private static let collection = "passcode"
    private static let name = "passcode"

    var policy: PasswordPolicy
    /// The slot of the passcode that counts.
    private(set) var slot: [UInt8]
    /// The slot of a passcode that was on its way when an older version of this program was killed.
    private(set) var nextSlot: [UInt8]?
    /// How long the passcode has existed, in seconds, by a date that was only ever counted forward.
    private(set) var age = 0.0
    /// The date when the age was counted.
    private(set) var counted: Date
    /// How many tries there were when the vault was opened last.
    private(set) var tries: Int64 = 0
    /// Why the passcode must be changed, whatever its age.
    private(set) var complaint: Complaint?

    enum Complaint: String, Codable {
        case breaksPolicy, countPutBack
    }

    init(policy: PasswordPolicy, slot: [UInt8], now: Date) {
        self.policy = policy
        self.slot = slot
        counted = now
    }

    /// Counts the time that has gone by. A clock that was set back takes nothing away, and counts on from there.
    mutating func count(to now: Date) {
        let gone = now.timeIntervalSince(counted)
        // Each opening would else be a write.
        guard !(0..<60).contains(gone) else { return }
        age += max(gone, 0)
        counted = now
    }

    /// Whether the passcode is too old.
    var isTooOld: Bool { policy.isEnabled && policy.expiresInDays > 0 && age >= Double(policy.expiresInDays) * 86400 }

    /// Compares the slot that has opened the vault; false where it is an older one, which was put back.
    mutating func accept(slot found: [UInt8], now: Date) -> Bool {
        if found == nextSlot { change(to: found, now: now) }
        return found == slot
    }

    /// Another passcode counts from now on.
    mutating func change(to next: [UInt8], now: Date) {
        (slot, nextSlot, complaint) = (next, nil, nil)
        (age, counted) = (0, now)
    }

    /// Compares how often the passcode was tried; fewer times than we know of means that the count was put back.
    mutating func compare(tries total: Int64) {
        if total < tries { complaint = .countPutBack }
        tries = total
    }

    /// Sees a passcode that has opened the vault.
    mutating func look(at passcode: String) {
        if !policy.violations(of: passcode).isEmpty { complaint = complaint ?? .breaksPolicy }
    }

    /// Why the passcode must be changed.
    func mustChange(hasPasscode: Bool) -> String? {
        if !hasPasscode { return policy.allowsNoPasscode ? nil : "the policy wants one of your own" }
        return switch complaint {
        case .countPutBack: "somebody has put the count of wrong tries back"
        case .breaksPolicy: "it is not what the policy wants now"
        case nil: isTooOld ? "it is older than \(policy.expiresInDays) days" : nil
        }
    }

    static func load(from vault: DataVault) async throws -> PasscodeRecord {
        guard let record = try await vault.read(name, in: collection),
            let decoded = try? JSONDecoder().decode(PasscodeRecord.self, from: Data(record.value))
        else { throw VaultFailure.damaged("it does not know its passcode") }
        return decoded
    }

    func store(in vault: DataVault) async throws { try await vault.transaction { try store(in: $0) } }

    func store(in transaction: DataVaultTransaction) throws {
        try transaction.write(Array(try JSONEncoder().encode(self)), for: Self.name, in: Self.collection)
    }
}
