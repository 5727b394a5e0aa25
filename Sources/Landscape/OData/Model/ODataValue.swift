import Foundation

/// A value of a property, whatever format it came in.
enum ODataValue: Sendable, Hashable {
    case null
    case flag(Bool)
    case integer(Int64)
    case decimal(Decimal)
    case double(Double)
    case text(String)
    /// In lower case.
    case guid(String)
    case binary([UInt8])
    /// Milliseconds since 1970 in UTC, and the zone's distance from it in minutes.
    case instant(Int64, offset: Int = 0)
    /// Milliseconds.
    case span(Int64)
    case complex([String: ODataValue])

    /// The number that it is, exactly where that can be.
    var number: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .decimal(let number): number
        case .double(let number) where number.isFinite: Decimal(number)
        default: nil
        }
    }
}
