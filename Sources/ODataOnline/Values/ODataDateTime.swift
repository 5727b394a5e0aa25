public import Foundation
import ODataFormats

/// Date and time, to a nanosecond: `Edm.DateTimeOffset`, or `Edm.DateTime` of OData 2.0, which has no offset.
public struct ODataDateTime: Hashable, Sendable {
    private let stamp: Timestamp

    /// The offset of the clock that shows it, in minutes east of UTC; nil: nobody says which clock.
    public var offset: Int? { stamp.offset }
    /// The point in time; where nobody says which clock shows it, UTC's.
    public var date: Date { stamp.date }
    /// Seconds since 1970 in UTC.
    public var seconds: Int64 { stamp.seconds }
    /// Nanoseconds after these seconds.
    public var nanoseconds: Int { Int(stamp.nanoseconds) }

    init(_ stamp: Timestamp) { self.stamp = stamp }

    /// A point in time, to a microsecond, in UTC; nil outside of the years 1 to 9999.
    ///
    /// - Parameters:
    ///   - date: the moment
    ///   - hasOffset: false for an `Edm.DateTime`
    public init?(_ date: Date, hasOffset: Bool = true) {
        guard var stamp = Timestamp(date) else { return nil }
        if !hasOffset { stamp.offset = nil }
        self.stamp = stamp
    }

    /// `2017-01-10T06:10:33.406+01:00`, or `/Date(1484028633406)/` as OData 2.0 has it in JSON; nil for anything else.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    init?(bytes: ArraySlice<UInt8>) {
        guard let stamp = Timestamp(bytes) else { return nil }
        self.stamp = stamp
    }

    /// As the clock shows it, without the offset.
    var calendarText: String { stamp.calendarText }
    /// With the offset; in UTC where there is none.
    var text: String { stamp.calendarText + stamp.zoneText }
    /// As OData 2.0 has it in JSON. Its milliseconds are those in UTC, the offset says how to show them.
    var jsonText: String {
        guard let offset = stamp.offset else { return "/Date(\(stamp.milliseconds))/" }
        return "/Date(\(stamp.milliseconds)\(offset < 0 ? "-" : "+")\(padded(offset.magnitude)))/"
    }

    private func padded(_ minutes: UInt) -> String {
        let digits = String(minutes)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

extension ODataDateTime: Codable, CustomStringConvertible {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = ODataDateTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no date with a time.")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// In ISO 8601.
    public var description: String { offset == nil ? calendarText : text }
}
