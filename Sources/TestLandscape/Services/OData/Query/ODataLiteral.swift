import Foundation

/// Literals of URLs, by version.
enum ODataLiteral {
    /// The value of a literal without quotes; nil for an invalid word.
    static func value(_ word: String, _ version: ODataVersion) -> ODataValue? {
        switch word {
        case "null": return .null
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "INF": return .double(.infinity)
        case "-INF": return .double(-.infinity)
        case "NaN": return .double(.nan)
        default: break
        }
        if version == .v4, let value = plain(word) { return value }
        return number(word, version)
    }

    /// The value of a literal that V4 writes without quotes and without a name.
    private static func plain(_ word: String) -> ODataValue? {
        if let guid = guid(word) { return guid }
        if let instant = ODataDates.instant(Substring(word)) {
            return .instant(instant.milliseconds, offset: instant.offset ?? 0)
        }
        return word.contains(":") ? ODataDates.span(time: Substring(word)).map { .span($0) } : nil
    }

    static func guid(_ text: String) -> ODataValue? {
        UUID(uuidString: text).map { .guid($0.uuidString.lowercased()) }
    }

    private static func number(_ word: String, _ version: ODataVersion) -> ODataValue? {
        var digits = word
        let suffix = version == .v2 && word.first?.isLetter == false ? word.last?.lowercased() : nil
        if let suffix, ["l", "m", "d", "f"].contains(suffix) {
            digits.removeLast()
        } else if let last = word.last, !last.isNumber {
            return nil
        }
        guard digits.wholeMatch(of: /-?\d+(\.\d+)?([eE][+-]?\d+)?/) != nil else { return nil }
        switch suffix {
        case "l": return Int64(digits).map { .integer($0) }
        case "d", "f": return Double(digits).map { .double($0) }
        case "m": return Decimal(string: digits).map { .decimal($0) }
        default:
            if let whole = Int64(digits) { return .integer(whole) }
            if digits.lowercased().contains("e") { return Double(digits).map { .double($0) } }
            return Decimal(string: digits).map { .decimal($0) }
        }
    }

    /// The value of a literal with a name before its quotes, such as `datetime'…'`.
    static func value(named name: String, _ text: String, _ version: ODataVersion) -> ODataValue? {
        switch (name.lowercased(), version) {
        case ("datetime", .v2):
            guard let instant = ODataDates.instant(Substring(text)), instant.offset == nil, text.contains("T") else {
                return nil
            }
            return .instant(instant.milliseconds)
        case ("datetimeoffset", .v2):
            guard let instant = ODataDates.instant(Substring(text)), let offset = instant.offset else { return nil }
            return .instant(instant.milliseconds, offset: offset)
        case ("time", .v2), ("duration", .v4): return ODataDates.span(duration: Substring(text)).map { .span($0) }
        case ("guid", .v2): return guid(text)
        case ("x", .v2), ("binary", .v2): return hexadecimal(text).map { .binary($0) }
        case ("binary", .v4):
            let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
            return Data(base64Encoded: standard + padding).map { .binary(Array($0)) }
        default: return nil
        }
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = Array(text)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// The text of a key's value in the URL of an entity.
    static func text(_ value: ODataValue, _ type: ODataType, _ version: ODataVersion) -> String {
        switch value {
        case .text(let text): "'" + PercentCoding.encode(text.replacingOccurrences(of: "'", with: "''")) + "'"
        case .integer(let number): "\(number)" + (version == .v2 && type == .int64 ? "L" : "")
        case .guid(let text): version == .v2 ? "guid'\(text)'" : text
        default: "null"
        }
    }
}
