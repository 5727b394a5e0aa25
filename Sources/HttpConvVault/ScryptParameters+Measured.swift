extension ScryptParameters {
    /// Parameters with which a derivation on this machine takes about a given time, never weaker than ``standard``.
    ///
    /// Memory stays that of ``standard``; a fast machine does up to four times the work (``maximumWork``). Blocks for
    /// one derivation: do not call it on the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - target: the desired time of a derivation
    ///   - now: a clock that does not jump
    ///   - derive: runs the derivation to measure
    static func measured(
        within target: Duration, now: () -> Duration, derive: (ScryptParameters) throws(DataVaultError) -> Void
    ) throws(DataVaultError) -> ScryptParameters {
        let start = now()
        try derive(.standard)
        let once = max(now() - start, .milliseconds(1))
        let most = maximumWork / (standard.cost * standard.blockSize)
        let times = min(max(Int((target / once).rounded(.down)), 1), most)
        return try ScryptParameters(cost: standard.cost, blockSize: standard.blockSize, parallelism: times)
    }

    /// Measures with real derivations.
    static func measured(
        within target: Duration, now: () -> Duration
    ) throws(DataVaultError) -> ScryptParameters {
        try measured(within: target, now: now) { parameters throws(DataVaultError) in
            _ = try parameters.deriveKey(from: Array("measured".utf8), salt: [UInt8](repeating: 0, count: 32))
        }
    }
}
