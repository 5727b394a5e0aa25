/// A stored value with its version.
public struct DataVaultRecord: Hashable, Sendable {
    /// The value.
    public let value: [UInt8]
    /// Grows with every write to the vault and is never reused, not even after a deletion: equal versions are equal
    /// records.
    public let version: Int64
}

extension DataVaultRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Version and size.
    public var description: String { "DataVaultRecord(version \(version), \(value.count) bytes)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["version": version, "count": value.count]) }
}
