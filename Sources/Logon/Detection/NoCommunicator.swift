/// Nothing fits: what each probe saw, in order. Travels as the `underlyingError` of a ``LogonError``.
public struct NoCommunicator: Error, Sendable {
    /// The probes.
    public let reports: [ProbeReport]
}
