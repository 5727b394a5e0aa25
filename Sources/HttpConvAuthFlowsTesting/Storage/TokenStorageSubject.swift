/// A storage that the conformance suite examines: two handles on one empty storage, as two processes have them.
public struct TokenStorageSubject: Sendable {
    /// A handle.
    public let first: any LeasedTokenStorage
    /// Another handle on the same storage; the same one if only one process can use the storage.
    public let second: any LeasedTokenStorage
    let passTime: @Sendable (Duration) async throws -> Void

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - first: a handle
    ///   - second: another handle on the same storage
    ///   - passTime: lets a time pass for the storage's leases, without waiting
    public init(
        first: any LeasedTokenStorage, second: any LeasedTokenStorage,
        passTime: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.first = first
        self.second = second
        self.passTime = passTime
    }
}
