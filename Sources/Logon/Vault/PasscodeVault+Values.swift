public import DataVault
internal import Foundation
internal import HttpConversation

extension PasscodeVault {
    /// The collection of the values in ``withDataVault(_:)``.
    static let collection = "logon"

    /// A value; nil where there is none. The vault has to be unlocked; this is use.
    ///
    /// - Throws: ``PasscodeVaultError/Code/locked``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/damaged`` where the value is not of that type, …
    public func read<Value: Codable>(_ type: Value.Type, _ name: String) async throws(PasscodeVaultError) -> Value? {
        try await withDataVault { vault in
            guard let record = try await vault.read(name, in: Self.collection) else { return nil }
            do {
                return try JSONDecoder().decode(type, from: Data(record.value))
            } catch {
                // What a decoder says quotes what it reads.
                throw PasscodeVaultError(.damaged, "The value \(name) in the vault is not of the form expected.")
            }
        }
    }

    /// Stores a value in place of what is there. The vault has to be unlocked; this is use.
    public func write<Value: Codable>(_ value: Value, _ name: String) async throws(PasscodeVaultError) {
        let bytes: [UInt8]
        do { bytes = Array(try JSONEncoder().encode(value)) } catch {
            throw PasscodeVaultError(.invalidValue, "The value \(name) cannot be encoded.")
        }
        try await withDataVault { vault in _ = try await vault.write(bytes, for: name, in: Self.collection) }
    }

    /// Changes a value where it is, so that nobody else's change is lost; nil where there is none.
    func change<Value: Codable & Sendable>(
        _ type: Value.Type, _ name: String, _ change: @Sendable (inout Value) -> Void
    ) async throws(PasscodeVaultError) -> Value? {
        try await withDataVault { vault in
            try await vault.transaction { transaction in
                guard let record = try transaction.read(name, in: Self.collection) else { return nil }
                guard var value = try? JSONDecoder().decode(type, from: Data(record.value)) else {
                    throw PasscodeVaultError(.damaged, "The value \(name) in the vault is not of the form expected.")
                }
                change(&value)
                try transaction.write(Array(JSONEncoder().encode(value)), for: name, in: Self.collection)
                return value
            }
        }
    }

    /// Removes a value; says whether there was one. The vault has to be unlocked; this is use.
    @discardableResult
    public func remove(_ name: String) async throws(PasscodeVaultError) -> Bool {
        try await withDataVault { vault in try await vault.delete(name, in: Self.collection) }
    }

    /// Does something with the data vault below, such as keeping tokens in it. The vault has to be unlocked; this is use.
    ///
    /// The collections `logon` and `passcode` are taken. Whoever keeps the data vault finds it closed once this one is
    /// locked.
    ///
    /// - Throws: ``PasscodeVaultError/Code/locked``, also where it is locked meanwhile; what the closure throws, as the
    ///   underlying error
    public func withDataVault<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DataVault) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        let vault = try await current()
        // A long use is no idleness.
        defer { renew() }
        do { return try await body(vault) } catch { throw locked(by: error) ?? VaultFailure.error(error) }
    }

    /// The data vault, where this vault is unlocked and still there; renews the idle time.
    func current() async throws(PasscodeVaultError) -> DataVault {
        lockIfIdle()
        let (state, open) = memory.withLock { ($0.state, $0.open) }
        guard let open else { throw state == .wiped ? VaultFailure.wiped : VaultFailure.locked }
        do {
            let stamp = try VaultStamp(VaultDirectory(directory, creating: false))
            if stamp != open.stamp { try await lookAgain(open.vault) }
        } catch {
            throw locked(by: error) ?? gone(VaultFailure.error(error))
        }
        renew()
        return open.vault
    }

    /// What is in the vault now, the keys in hand do not open: somebody else has changed the passcode.
    private func locked(by error: any Error) -> PasscodeVaultError? {
        guard (error as? DataVaultError)?.code == .keyChanged else { return nil }
        forget(to: .locked)
        return VaultFailure.changed
    }

    /// Somebody has tried a passcode, changed one, taken over a policy, or wiped the vault.
    private func lookAgain(_ vault: DataVault) async throws {
        let stamp = try await look().stamp
        let policy = try await PasscodeRecord.load(from: vault).policy
        memory.withLock { $0.see(stamp) }
        if policy.lockTimeout != lockTimeout { adopt(policy) }
    }

    private func renew() {
        let now = options.clock.now()
        memory.withLock { $0.renew(at: now) }
    }

    /// Whether two passcodes are the same, however they were typed.
    static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return ConstantTime.isEqual(
            one.precomposedStringWithCanonicalMapping.utf8, other.precomposedStringWithCanonicalMapping.utf8)
    }
}
