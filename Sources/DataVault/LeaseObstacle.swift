/// The state of a held lease when it was requested.
///
/// Until it changes, a new request would fail. Checking it costs a few system calls, while a request takes the write
/// lock.
package struct LeaseObstacle: Sendable {
    let token: Int64
    /// The lease's expiry, in milliseconds since 1970.
    let expires: Int64
    /// The vault's change stamp before the request.
    let stamp: Int64?
}

extension DataVault {
    /// Whether a lease is still held: its holder is alive, it has not expired, and nothing was written since.
    package func isInTheWay(_ obstacle: LeaseObstacle) -> Bool {
        guard let stamp = obstacle.stamp, stamp == changeStamp else { return false }
        return isHeld(obstacle.token, until: obstacle.expires)
    }

    /// Whether a lease in the table is still held.
    func isHeld(_ token: Int64, until expires: Int64) -> Bool {
        isRunning(expires, at: options.clock.milliseconds) && !leaseLocks.isAbandoned(token)
    }

    /// An expiry beyond the maximum duration comes from a wrong clock or from tampering, and is ignored.
    private func isRunning(_ expires: Int64, at now: Int64) -> Bool {
        expires > now && expires <= now + DataVaultTransaction.milliseconds(Self.maximumLeaseDuration)
    }
}
