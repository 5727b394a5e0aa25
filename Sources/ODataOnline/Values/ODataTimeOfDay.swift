import HttpConvFormats

/// A time of a day, to a nanosecond (`Edm.TimeOfDay`).
public struct ODataTimeOfDay: Hashable, Sendable {
    /// Seconds since midnight, below 86,400.
    public let seconds: Int
    /// Nanoseconds after these seconds.
    public let nanoseconds: Int

    /// A time; nil if no clock shows it.
    public init?(hour: Int, minute: Int, second: Int = 0, nanoseconds: Int = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1_000_000_000).contains(nanoseconds)
        else { return nil }
        seconds = hour * 3600 + minute * 60 + second
        self.nanoseconds = nanoseconds
    }

    /// Reads `06:10:33.406`, or `06:10` without seconds; nil for anything else.
    public init?(_ text: String) {
        var reader = DigitReader(Array(text.utf8)[...])
        guard let time = reader.timeOfDay(), reader.isAtEnd else { return nil }
        seconds = Int(time.seconds)
        nanoseconds = Int(time.nanoseconds)
    }

    /// The time in the JSON of OData 2.0: the duration since midnight, such as `PT6H10M33.406S`.
    var jsonText: String {
        let fraction = ClockText.fraction(nanoseconds.magnitude, digits: 9)
        return "PT\(seconds / 3600)H\(seconds / 60 % 60)M\(seconds % 60)\(fraction)S"
    }
}

extension ODataTimeOfDay: Codable, CustomStringConvertible {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = ODataTimeOfDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a time of a day.")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The time, such as `06:10:33.406`.
    public var description: String { ClockText.text(seconds: seconds, nanoseconds: Int32(nanoseconds)) }
}
