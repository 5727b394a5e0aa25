/// What stood between somebody and a lease, as it was when they asked.
///
/// As long as nothing has happened to it, asking again is in vain: looking at it costs a few system calls, where asking
/// takes the lock of everybody who writes.
package struct LeaseObstacle: Sendable {
    let token: Int64
    /// Milliseconds since 1970.
    let expires: Int64
    /// The vault's before the question.
    let stamp: Int64?
}

extension DataVault {
    /// Whether a lease cannot be had yet: its holder is alive, its time is not up, and nobody has written anything since.
    package func isInTheWay(_ obstacle: LeaseObstacle) -> Bool {
        guard let stamp = obstacle.stamp, stamp == changeStamp else { return false }
        return isHeld(obstacle.token, until: obstacle.expires)
    }

    /// Whether a lease that the table says was given out is still somebody's.
    func isHeld(_ token: Int64, until expires: Int64) -> Bool {
        isRunning(expires, at: options.clock.milliseconds) && !leaseLocks.isAbandoned(token)
    }

    /// An end further away than any that we give comes from a clock that was wrong, or from tampering: it binds nobody.
    private func isRunning(_ expires: Int64, at now: Int64) -> Bool {
        expires > now && expires <= now + DataVaultTransaction.milliseconds(Self.maximumLeaseDuration)
    }
}
