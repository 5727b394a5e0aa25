import Foundation

/// A value of a property, in any format.
enum ODataValue: Sendable, Hashable {
    case null
    case flag(Bool)
    case integer(Int64)
    case decimal(Decimal)
    case double(Double)
    case text(String)
    /// A GUID in lower case.
    case guid(String)
    case binary([UInt8])
    /// Milliseconds since 1970 in UTC, and the zone's offset in minutes.
    case instant(Int64, offset: Int = 0)
    /// A duration in milliseconds.
    case span(Int64)
    case complex([String: ODataValue])

    /// The value as a number, exact if possible.
    var number: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .decimal(let number): number
        case .double(let number) where number.isFinite: Decimal(number)
        default: nil
        }
    }
}
