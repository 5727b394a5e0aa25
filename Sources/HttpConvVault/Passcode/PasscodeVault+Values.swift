internal import Crypto
internal import HttpConvPlatform

extension PasscodeVault {
    /// The collection of the values in ``withDataVault(_:)``.
    static let collection = "logon"

    /// Reads a value; nil if there is none. The vault has to be unlocked, and counts as used.
    ///
    /// - Throws: ``PasscodeVaultError/Code/locked``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/damaged`` if the value has another type, …
    public func read<Value: Codable>(_ type: Value.Type, _ name: String) async throws(PasscodeVaultError) -> Value? {
        try await withDataVault { vault in
            guard let record = try await vault.read(name, in: Self.collection) else { return nil }
            do {
                return try JSONDecoder().decode(type, from: Data(record.value))
            } catch {
                // The decoder's message is left out: it quotes the value.
                throw PasscodeVaultError(.damaged, "The value \(name) in the vault is not of the form expected.")
            }
        }
    }

    /// Stores a value, replacing the present one. The vault has to be unlocked, and counts as used.
    public func write<Value: Codable>(_ value: Value, _ name: String) async throws(PasscodeVaultError) {
        let bytes = try Self.encode(value, name)
        try await withDataVault { vault in _ = try await vault.write(bytes, for: name, in: Self.collection) }
    }

    /// Stores a value in a vault that is being made.
    package static func write<Value: Codable>(_ value: Value, _ name: String, in vault: DataVault) async throws {
        try await vault.write(encode(value, name), for: name, in: collection)
    }

    private static func encode<Value: Codable>(
        _ value: Value, _ name: String
    ) throws(PasscodeVaultError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(value)) } catch {
            throw PasscodeVaultError(.invalidValue, "The value \(name) cannot be encoded.")
        }
    }

    /// Changes a value in one transaction, so that no concurrent change is lost; nil if there is none.
    ///
    /// - Parameter initial: the value that is changed if none is stored; nil: nothing is stored then
    @discardableResult
    package func change<Value: Codable & Sendable>(
        _ type: Value.Type, _ name: String, initial: Value? = nil, _ change: @Sendable (inout Value) -> Void
    ) async throws(PasscodeVaultError) -> Value? {
        try await withDataVault { vault in
            try await vault.transaction { transaction in
                let record = try transaction.read(name, in: Self.collection)
                let stored = try record.map { record in
                    guard let value = try? JSONDecoder().decode(type, from: Data(record.value)) else {
                        throw PasscodeVaultError(
                            .damaged, "The value \(name) in the vault is not of the form expected.")
                    }
                    return value
                }
                guard var value = stored ?? initial else { return nil }
                change(&value)
                try transaction.write(Array(JSONEncoder().encode(value)), for: name, in: Self.collection)
                return value
            }
        }
    }

    /// Removes a value; returns whether there was one. The vault has to be unlocked, and counts as used.
    @discardableResult
    public func remove(_ name: String) async throws(PasscodeVaultError) -> Bool {
        try await withDataVault { vault in try await vault.delete(name, in: Self.collection) }
    }

    /// Runs a closure with the data vault below, such as to keep tokens in it. The vault has to be unlocked, and counts
    /// as used.
    ///
    /// The collections `logon` and `passcode` are reserved. The data vault is closed once this vault is locked, even if
    /// the caller still holds it.
    ///
    /// - Throws: ``PasscodeVaultError/Code/locked``, also if it is locked meanwhile; the closure's error, as the
    ///   underlying error
    public func withDataVault<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DataVault) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        let vault = try await current()
        // A long use counts up to its end.
        defer { renew() }
        do { return try await body(vault) } catch { throw locked(by: error) ?? PasscodeVaultFailure.error(error) }
    }

    /// The data vault, if this vault is unlocked and still exists. Counts as use.
    func current() async throws(PasscodeVaultError) -> DataVault {
        lockIfIdle()
        let (state, open) = memory.withLock { ($0.state, $0.open) }
        guard let open else { throw state == .wiped ? PasscodeVaultFailure.wiped : PasscodeVaultFailure.locked }
        do {
            let stamp = try VaultStamp(VaultDirectory(directory, creating: false))
            if stamp != open.stamp { try await refresh(open.vault) }
        } catch {
            throw locked(by: error) ?? wipedIfMissing(PasscodeVaultFailure.error(error))
        }
        renew()
        return open.vault
    }

    /// Locks the vault if its keys were replaced: another process has changed the passcode.
    private func locked(by error: any Error) -> PasscodeVaultError? {
        guard (error as? DataVaultError)?.code == .keyChanged else { return nil }
        end(as: .locked)
        return PasscodeVaultFailure.changed
    }

    /// Updates the state after a change of the files: a try, a changed passcode, a new policy, or a wipe.
    private func refresh(_ vault: DataVault) async throws {
        let stamp = try await look().stamp
        let policy = try await PasscodeRecord.load(from: vault).policy
        memory.withLock { $0.see(stamp) }
        if policy.lockTimeout != lockTimeout { adopt(policy) }
    }

    private func renew() {
        let now = configuration.clock.uptime
        memory.withLock { $0.renew(at: now) }
    }

    /// Whether two passcodes are equal after normalisation (NFC).
    static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        // Digests are compared in constant time.
        let digests = [one, other].map { SHA256.hash(data: Data($0.canonicallyComposed.utf8)) }
        return digests[0] == digests[1]
    }
}
