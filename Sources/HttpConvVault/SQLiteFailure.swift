/// The result codes of a failed SQLite call (sqlite.org/rescode.html), without statement and arguments.
public struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code, such as 13 for a full disk.
    public let code: Int32
    /// The extended result code, such as 778 for a failed write.
    public let extendedCode: Int32

    public var description: String { "SQLite result code \(code), extended \(extendedCode)" }
}
