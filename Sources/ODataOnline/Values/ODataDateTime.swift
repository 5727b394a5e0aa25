import HttpConvFormats
public import HttpConvPlatform

/// Date and time, to a nanosecond: `Edm.DateTimeOffset`, or `Edm.DateTime` of OData 2.0, which has no offset.
public struct ODataDateTime: Hashable, Sendable {
    private var stamp: Timestamp

    /// Minutes east of UTC; nil for a time without an offset.
    public var offset: Int? { stamp.offset }
    /// The point in time. A time without an offset is taken as UTC.
    public var date: Date { stamp.date }
    /// Seconds since 1970 in UTC.
    public var seconds: Int64 { stamp.seconds }
    /// Nanoseconds after these seconds.
    public var nanoseconds: Int { Int(stamp.nanoseconds) }

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

    /// Reads `2017-01-10T06:10:33.406+01:00`, or `/Date(1484028633406)/` from the JSON of OData 2.0; nil for anything
    /// else.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    init?(bytes: ArraySlice<UInt8>) {
        guard let stamp = Timestamp(bytes) else { return nil }
        self.stamp = stamp
    }

    /// The same point in time with another offset, or without one.
    func withOffset(_ offset: Int?) -> ODataDateTime {
        var time = self
        time.stamp.offset = offset
        return time
    }

    /// The local time, without the offset.
    var calendarText: String { stamp.calendarText }
    /// The time with its offset; `Z` if there is none.
    var text: String { stamp.calendarText + stamp.zoneText }
    /// The time in the JSON of OData 2.0. Its milliseconds are in UTC, and the offset says how to show them.
    var jsonText: String {
        guard let offset = stamp.offset else { return "/Date(\(stamp.milliseconds))/" }
        let minutes = String(offset.magnitude).zeroPadded(to: 4)
        return "/Date(\(stamp.milliseconds)\(offset < 0 ? "-" : "+")\(minutes))/"
    }
}

extension ODataDateTime: Codable, CustomStringConvertible {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = ODataDateTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a date with a time.")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The time in ISO 8601.
    public var description: String { offset == nil ? calendarText : text }
}
