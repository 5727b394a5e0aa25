import Foundation

/// Values as text and as JSON.
enum ODataText {
    /// The text of a value in Atom, `$value` and URLs, without quotes; nil for null.
    static func text(_ value: ODataValue, _ type: ODataType, _ version: ODataVersion) -> String? {
        switch value {
        case .null, .complex: nil
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .double(let number): number.isInfinite ? (number < 0 ? "-INF" : "INF") : number.isNaN ? "NaN" : "\(number)"
        case .text(let text), .guid(let text): text
        case .binary(let bytes): Data(bytes).base64EncodedString()
        case .instant(let time, let offset):
            switch (type, version) {
            case (.date, .v4): ODataDates.date(time)
            case (.date, .v2), (.timestamp, .v2): ODataDates.local(time)
            case (.timestamp, .v4): ODataDates.zoned(time, offset: 0)
            default: ODataDates.zoned(time, offset: offset)
            }
        case .span(let span):
            type == .timeOfDay && version == .v4 ? ODataDates.time(span) : ODataDates.duration(span)
        }
    }

    static func json(
        _ value: ODataValue, _ type: ODataType, _ version: ODataVersion, _ format: ODataFormat
    ) -> String {
        if case .complex(let members) = value {
            let type = format.kind == .verbose ? "\"__metadata\":{\"type\":\"\(type.name(version))\"}," : ""
            let text = ODataModel.address.map { property in
                "\"\(property.name)\":" + json(members[property.name] ?? .null, property.type, version, format)
            }
            return "{" + type + text.joined(separator: ",") + "}"
        }
        guard let text = text(value, type, version) else { return "null" }
        switch (value, format.kind) {
        case (.instant(let time, let offset), .verbose):
            guard type == .instant else { return "\"\\/Date(\(time))\\/\"" }
            let minutes = String(abs(offset))
            let zone = (offset < 0 ? "-" : "+") + String(repeating: "0", count: max(0, 4 - minutes.count)) + minutes
            return "\"\\/Date(\(time)\(zone))\\/\""
        case (.flag, _): return text
        case (.double(let number), .light) where number.isFinite: return text
        case (.integer, _) where type != .int64: return text
        case (.integer, .light), (.decimal, .light):
            return version == .v4 && !format.isCompatible ? text : "\"\(text)\""
        default: return quoted(text)
        }
    }

    static func quoted(_ text: String) -> String {
        var result: [UInt8] = [UInt8(ascii: "\"")]
        result.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: result += Array("\\u00".utf8) + Array(Hex.digits(byte).utf8)
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
        return String(decoding: result, as: UTF8.self)
    }
}
