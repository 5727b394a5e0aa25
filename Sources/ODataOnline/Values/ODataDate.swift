import HttpConvFormats

/// A day of the calendar (`Edm.Date`).
public struct ODataDate: Hashable, Sendable {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day, 1 to 31.
    public let day: Int

    /// A day; nil if the calendar does not have it.
    public init?(year: Int, month: Int, day: Int) {
        guard CivilDate.days(year: year, month: month, day: day) != nil else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `2017-01-10`; nil for anything else.
    public init?(_ text: String) {
        var reader = DigitReader(Array(text.utf8)[...])
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

extension ODataDate: Codable, CustomStringConvertible {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = ODataDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a date.")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The date, such as `2017-01-10`.
    public var description: String { CivilDate.text(year: year, month: month, day: day) }
}
