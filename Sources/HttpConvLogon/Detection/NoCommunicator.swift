/// Reports that nothing fits, with each probe's result in order. It is the `underlyingError` of a ``LogonError``.
public struct NoCommunicator: Error, Sendable {
    /// The probes.
    public let reports: [ProbeReport]
}
