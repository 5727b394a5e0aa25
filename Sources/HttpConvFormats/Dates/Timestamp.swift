package import HttpConvPlatform

/// A point in time, or a date and time without a zone, exact to a nanosecond.
package struct Timestamp: Hashable, Sendable {
    /// Seconds since 1970 in UTC. A time without an offset is taken as UTC.
    package var seconds: Int64
    package var nanoseconds: Int32
    /// Minutes east of UTC; nil for a time without an offset.
    package var offset: Int?

    package init(seconds: Int64, nanoseconds: Int32 = 0, offset: Int? = nil) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset
    }

    /// A date, rounded to a microsecond; nil outside of the years 1 to 9999.
    package init?(_ date: Date) {
        let whole = date.timeIntervalSince1970.rounded(.down)
        guard let seconds = Int64(exactly: whole), Self.range.contains(seconds) else { return nil }
        let micros = ((date.timeIntervalSince1970 - whole) * 1e6).rounded()
        self.init(
            seconds: seconds + (micros >= 1e6 ? 1 : 0), nanoseconds: micros >= 1e6 ? 0 : Int32(micros) * 1000, offset: 0
        )
    }

    package var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }

    /// The years 1 to 9999.
    private static let range = Int64(-62_135_596_800)...Int64(253_402_300_799)

    /// Reads `/Date(1484028633406)/` with an optional offset in minutes, or `2017-01-10T06:10:33.406` with an optional
    /// zone.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count < 64, let first = bytes.first else { return nil }
        let found = first == UInt8(ascii: "/") ? Self.milliseconds(bytes) : Self.calendar(bytes)
        guard let found, Self.range.contains(found.seconds) else { return nil }
        self = found
    }

    private static func milliseconds(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
        let prefix = "/Date(".utf8
        guard bytes.starts(with: prefix), bytes.suffix(2).elementsEqual(")/".utf8), bytes.count > 8 else { return nil }
        let inner = bytes.dropFirst(prefix.count).dropLast(2)
        let sign = inner.dropFirst().firstIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        guard let total = PeerNumber.integer(inner[..<(sign ?? inner.endIndex)], as: Int64.self) else { return nil }
        var offset: Int?
        if let sign {
            guard let minutes = PeerNumber.integer(inner[(sign + 1)...], in: 0...14 * 60) else { return nil }
            offset = inner[sign] == UInt8(ascii: "-") ? -minutes : minutes
        }
        let (seconds, rest) = total.quotientAndRemainder(dividingBy: 1000)
        let isBefore = rest < 0
        return Timestamp(
            seconds: isBefore ? seconds - 1 : seconds, nanoseconds: Int32(isBefore ? rest + 1000 : rest) * 1_000_000,
            offset: offset)
    }

    private static func calendar(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
        var reader = DigitReader(bytes)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2),
            let days = CivilDate.days(year: year, month: month, day: day)
        else { return nil }
        guard !reader.isAtEnd else { return Timestamp(seconds: Int64(days) * 86400) }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let time = reader.timeOfDay() else {
            return nil
        }
        guard let offset = reader.zone() else { return nil }
        let local = Int64(days) * 86400 + time.seconds
        return Timestamp(
            seconds: local - Int64((offset ?? 0) * 60), nanoseconds: time.nanoseconds, offset: offset)
    }

    /// `2017-01-10T06:10:33.406`: the local time at its offset, without the offset.
    package var calendarText: String {
        let local = seconds + Int64((offset ?? 0) * 60)
        let days = Int((local >= 0 ? local : local - 86399) / 86400)
        let time = Int(local - Int64(days) * 86400)
        return CivilDate.text(days: days) + "T" + ClockText.text(seconds: time, nanoseconds: nanoseconds)
    }

    /// `Z` or `+01:00`; `Z` for a time without an offset.
    package var zoneText: String {
        guard let offset, offset != 0 else { return "Z" }
        return (offset < 0 ? "-" : "+") + ClockText.pad(Int(offset.magnitude / 60)) + ":"
            + ClockText.pad(Int(offset.magnitude % 60))
    }

    /// Milliseconds since 1970.
    package var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds / 1_000_000) }
}
