internal import HttpConvPlatform

/// The vault's own record of its passcode: encrypted, so that changing it takes the key.
struct PasscodeRecord: Codable, Equatable, Sendable {
    private static let collection = "passcode"
    private static let name = "passcode"

    var policy: PasswordPolicy
    /// The slot of the present passcode.
    private(set) var slot: [UInt8]
    /// The slot of a passcode change that an older version of this program left unfinished.
    private(set) var nextSlot: [UInt8]?
    /// The passcode's age in seconds, by a date that was only ever counted forward.
    private(set) var age = 0.0
    /// The date up to which the age was counted.
    private(set) var counted: Date
    /// The total number of tries when the vault was last opened.
    private(set) var tries: Int64 = 0
    /// The reason why the passcode must be changed, apart from its age.
    private(set) var complaint: Complaint?

    enum Complaint: String, Codable {
        case breaksPolicy, countPutBack
    }

    init(policy: PasswordPolicy, slot: [UInt8], now: Date) {
        self.policy = policy
        self.slot = slot
        counted = now
    }

    /// Adds the time that has passed. If the clock was set back, adds nothing and counts on from there.
    mutating func count(to now: Date) {
        let gone = now.timeIntervalSince(counted)
        // At most once a minute: otherwise each opening would write.
        guard !(0..<60).contains(gone) else { return }
        age += max(gone, 0)
        counted = now
    }

    /// Whether the passcode is too old.
    var isTooOld: Bool { policy.isEnabled && policy.expiresInDays > 0 && age >= Double(policy.expiresInDays) * 86400 }

    /// Checks the slot that has opened the vault; false if it is an older one that was put back.
    mutating func accept(slot found: [UInt8], now: Date) -> Bool {
        if found == nextSlot { change(to: found, now: now) }
        return found == slot
    }

    /// Records another passcode.
    mutating func change(to next: [UInt8], now: Date) {
        (slot, nextSlot, complaint) = (next, nil, nil)
        (age, counted) = (0, now)
    }

    /// Compares the total number of tries: a lower number than the recorded one means that the count was put back.
    mutating func compare(tries total: Int64) {
        if total < tries { complaint = .countPutBack }
        tries = total
    }

    /// Checks a passcode that has opened the vault against the policy, which may have changed.
    mutating func look(at passcode: String) {
        // A count that was put back counts, whatever the policy.
        guard complaint != .countPutBack else { return }
        complaint = policy.violations(of: passcode).isEmpty ? nil : .breaksPolicy
    }

    /// The reason why the passcode must be changed; nil if it need not be.
    func mustChange(hasPasscode: Bool) -> String? {
        if !hasPasscode { return policy.allowsNoPasscode ? nil : "the policy wants one of your own" }
        return switch complaint {
        case .countPutBack: "the count of wrong tries was set back"
        case .breaksPolicy: "it is not what the policy wants now"
        case nil: isTooOld ? "it is older than \(policy.expiresInDays) days" : nil
        }
    }

    static func load(from vault: DataVault) async throws -> PasscodeRecord {
        guard let record = try await vault.read(name, in: collection),
            let decoded = try? JSONDecoder().decode(PasscodeRecord.self, from: Data(record.value))
        else { throw PasscodeVaultFailure.damaged("it does not know its passcode") }
        return decoded
    }

    func store(in vault: DataVault) async throws { try await vault.transaction { try store(in: $0) } }

    func store(in transaction: DataVaultTransaction) throws {
        try transaction.write(Array(try JSONEncoder().encode(self)), for: Self.name, in: Self.collection)
    }
}
