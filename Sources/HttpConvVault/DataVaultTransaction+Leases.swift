import HttpConvConcurrency
internal import HttpConvPlatform

extension DataVaultTransaction {
    /// Takes a lease that is free or expired, or whose holder's process has ended. Returns nil if it is held.
    ///
    /// - Parameters:
    ///   - name: the name of the lease
    ///   - holder: the name of the holder, shown to others, stored encrypted.
    ///   - duration: at most ``DataVault/maximumLeaseDuration``.
    public func acquireLease(_ name: String, holder: String, duration: Duration) throws -> DataVaultLease? {
        guard case .granted(let lease) = try requestLease(name, holder: holder, duration: duration) else { return nil }
        return lease
    }

    /// Like ``acquireLease(_:holder:duration:)``; a refusal describes the present lease.
    func requestLease(_ name: String, holder: String, duration: Duration) throws -> LeaseAnswer {
        let expires = try Self.end(of: duration, from: vault.configuration.clock.milliseconds)
        let index = leaseIndex(name)
        if let current = try storedLease(index) {
            if vault.isHeld(current.token, until: current.expires) {
                return .held(current.token, until: current.expires)
            }
            vault.leaseLocks.remove(current.token)
        }
        let token = try nextInSequence()
        vault.leaseLocks.take(token)
        let sealed = try cipher.seal(Array(holder.utf8), at: Self.leasePlace(index, token))
        try db.execute(
            "INSERT OR REPLACE INTO lease (name, token, expires, holder) VALUES (?, ?, ?, ?)",
            [.bytes(index), .number(token), .number(expires), .bytes(sealed)])
        return .granted(DataVaultLease(name: name, token: token, expires: Self.date(expires)))
    }

    /// Extends a lease to a duration from now. Throws `.leaseLost` if it was released, or a newer one was granted.
    public func renew(_ lease: DataVaultLease, duration: Duration) throws -> DataVaultLease {
        guard try stored(lease).expires != Self.released else {
            throw DataVaultError(.leaseLost, "The lease was released; nothing was changed.")
        }
        let expires = try Self.end(of: duration, from: vault.configuration.clock.milliseconds)
        try setEnd(expires, of: lease)
        return DataVaultLease(name: lease.name, token: lease.token, expires: Self.date(expires))
    }

    /// Releases a lease; does nothing if a newer one was granted.
    public func release(_ lease: DataVaultLease) throws {
        // The row stays: it tells a late write of the former holder from a newer holder's.
        try setEnd(Self.released, of: lease)
        vault.leaseLocks.remove(lease.token)
    }

    /// Ends any holder's lease: its writes fail with `.leaseLost` from now on.
    package func endLease(_ name: String) throws {
        // No later lease gets the same token, because tokens come from the sequence of the vault.
        try db.execute("DELETE FROM lease WHERE name = ?", [.bytes(leaseIndex(name))])
    }

    /// Throws `.leaseLost` if a newer lease was granted, or the lease was ended. Called first in a transaction, it
    /// stops a holder that was suspended past its time.
    public func require(_ lease: DataVaultLease) throws { _ = try stored(lease) }

    private func stored(_ lease: DataVaultLease) throws -> StoredLease {
        guard let stored = try storedLease(leaseIndex(lease.name)), stored.token == lease.token else {
            throw DataVaultError(
                .leaseLost, "The lease has ended, and another process may have it now; nothing was changed.")
        }
        return stored
    }

    /// The holder of a lease; nil if it is free.
    public func leaseHolder(_ name: String) throws -> DataVaultLeaseHolder? {
        let index = leaseIndex(name)
        guard let current = try storedLease(index), vault.isHeld(current.token, until: current.expires) else {
            return nil
        }
        guard let holder = cipher.open(current.holder, at: Self.leasePlace(index, current.token)),
            let holder = String(validating: holder, as: UTF8.self)
        else { throw Self.damaged }
        return DataVaultLeaseHolder(holder: holder, expires: Self.date(current.expires))
    }

    /// The result of requesting a lease.
    enum LeaseAnswer: Sendable {
        case granted(DataVaultLease)
        /// The lease is held: its token, and its expiry in milliseconds since 1970.
        case held(Int64, until: Int64)
    }

    /// Whether any lease is in use.
    func hasLeases() throws -> Bool {
        try db.rows("SELECT token, expires FROM lease").contains { row in
            vault.isHeld(try row.number(0), until: try row.number(1))
        }
    }

    private func setEnd(_ expires: Int64, of lease: DataVaultLease) throws {
        try db.execute(
            "UPDATE lease SET expires = ? WHERE name = ? AND token = ?",
            [.number(expires), .bytes(leaseIndex(lease.name)), .number(lease.token)])
    }

    private typealias StoredLease = (token: Int64, expires: Int64, holder: [UInt8])

    /// The expiry of a released lease; other leases never have it.
    private static let released: Int64 = 0

    private func storedLease(_ index: [UInt8]) throws -> StoredLease? {
        let sql = "SELECT token, expires, holder FROM lease WHERE name = ?"
        guard let row = try db.row(sql, [.bytes(index)]) else { return nil }
        return (try row.number(0), try row.number(1), try row.bytes(2))
    }

    private func leaseIndex(_ name: String) -> [UInt8] { cipher.index("lease", name) }

    static func leasePlace(_ index: [UInt8], _ token: Int64) -> ByteEncoding {
        var place = ByteEncoding("lease")
        place.add(index)
        place.add(token)
        return place
    }

    private static func end(of duration: Duration, from now: Int64) throws(DataVaultError) -> Int64 {
        guard duration > .zero, duration <= DataVault.maximumLeaseDuration else {
            throw DataVaultError(
                .invalidArgument,
                "The duration of a lease must be more than zero and at most \(DataVault.maximumLeaseDuration).")
        }
        return now + duration.wholeMilliseconds
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension DataVault {
    /// Whether a lease in the table is still held.
    func isHeld(_ token: Int64, until expires: Int64) -> Bool {
        isRunning(expires, at: configuration.clock.milliseconds) && !leaseLocks.isAbandoned(token)
    }

    /// An expiry beyond the maximum duration comes from a wrong clock or from tampering, and is ignored.
    private func isRunning(_ expires: Int64, at now: Int64) -> Bool {
        expires > now && expires <= now + Self.maximumLeaseDuration.wholeMilliseconds
    }
}
