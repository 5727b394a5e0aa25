import HttpConvFormats
import HttpConvPlatform

/// Values as literals of URLs, before percent-encoding (OData 2.0: "Abstract Type System"; OData 4.01 ABNF
/// `primitiveLiteral`).
enum EdmLiteral {
    static func text(_ value: ODataValue, _ version: ODataVersion) throws(ODataError) -> String {
        switch value {
        case .null: return "null"
        case .boolean(let flag): return flag ? "true" : "false"
        case .integer(let number):
            return version == .v2 && Int32(exactly: number) == nil ? "\(number)L" : "\(number)"
        case .int64(let number): return version == .v2 ? "\(number)L" : "\(number)"
        case .decimal(let number):
            let digits = try DecimalText.text(number)
            return version == .v2 ? digits + "M" : digits
        case .double(let number):
            guard number.isFinite else { return special(number) }
            return version == .v2 ? "\(number)d" : "\(number)"
        case .single(let number):
            guard number.isFinite else { return special(Double(number)) }
            return version == .v2 ? "\(number)f" : "\(number)"
        case .string(let text): return quoted(text)
        case .guid(let guid):
            let text = guid.uuidString.lowercased()
            return version == .v2 ? "guid'\(text)'" : text
        case .binary(let bytes):
            if version == .v2 { return "X'\(Hexadecimal.capitals(bytes))'" }
            let base64 = bytes.base64EncodedString().map { ["+": "-", "/": "_"][$0] ?? $0 }
            return "binary'\(String(base64))'"
        case .dateTime(let time):
            if version == .v4 { return time.text }
            return time.offset == nil ? "datetime'\(time.calendarText)'" : "datetimeoffset'\(time.text)'"
        case .date(let date): return version == .v2 ? "datetime'\(date)T00:00:00'" : "\(date)"
        case .timeOfDay(let time):
            guard version == .v2 else { return "\(time)" }
            let duration = Duration(
                secondsComponent: Int64(time.seconds),
                attosecondsComponent: Int64(time.nanoseconds) * 1_000_000_000)
            return "time'\(DurationText.text(duration))'"
        case .duration(let duration):
            return (version == .v2 ? "time" : "duration") + "'\(DurationText.text(duration))'"
        case .enumeration(let member):
            try ODataName.check(qualified: member.type)
            return member.type + quoted(member.member)
        case .complex, .collection, .deferred:
            throw ODataError(
                .invalidRequest, "A complex value or a collection has no literal: compare its properties instead.")
        }
    }

    /// A string literal, with the quotes inside doubled.
    static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }

    static func special(_ number: Double) -> String { number.isNaN ? "NaN" : number < 0 ? "-INF" : "INF" }

}
