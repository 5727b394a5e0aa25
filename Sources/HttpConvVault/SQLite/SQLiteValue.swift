/// A value of a statement's parameter, or of a column.
enum SQLiteValue: Hashable, Sendable {
    case null
    case number(Int64)
    case bytes([UInt8])
    case text(String)
    /// A floating-point number, which no vault has.
    case real

    static func number(_ number: Int) -> SQLiteValue { .number(Int64(number)) }

    /// A number, or null.
    static func number(_ number: Int?) -> SQLiteValue { number.map { .number(Int64($0)) } ?? .null }
}
