extension ScryptParameters {
    /// Parameters that a derivation on this machine takes about a given time with, never weaker than ``standard``.
    ///
    /// Memory stays that of ``standard``; a quick machine does the work up to four times over (``maximumWork``). Blocks
    /// for one derivation: not for the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - target: how long a derivation may take
    ///   - now: a clock that does not jump
    ///   - derive: does what is measured
    package static func measured(
        within target: Duration, now: () -> Duration, derive: (ScryptParameters) throws(DataVaultError) -> Void
    ) throws(DataVaultError) -> ScryptParameters {
        let start = now()
        try derive(.standard)
        let once = max(now() - start, .milliseconds(1))
        let most = maximumWork / (standard.cost * standard.blockSize)
        let times = min(max(Int((target / once).rounded(.down)), 1), most)
        return try ScryptParameters(cost: standard.cost, blockSize: standard.blockSize, parallelism: times)
    }

    /// The same with real derivations.
    package static func measured(
        within target: Duration, now: () -> Duration
    ) throws(DataVaultError) -> ScryptParameters {
        try measured(within: target, now: now) { parameters throws(DataVaultError) in
            _ = try parameters.deriveKey(from: Array("measured".utf8), salt: [UInt8](repeating: 0, count: 32))
        }
    }
}
