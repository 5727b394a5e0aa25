import Foundation

/// JSON from a client, with exact numbers.
enum ODataJSON: Sendable, Decodable {
    case null
    case flag(Bool)
    case number(Decimal)
    case double(Double)
    case text(String)
    case list([ODataJSON])
    case object([String: ODataJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let list = try? container.decode([ODataJSON].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ODataJSON].self))
        }
    }

    static func read(_ bytes: [UInt8]) throws(ODataFailure) -> ODataJSON {
        do { return try JSONDecoder().decode(ODataJSON.self, from: Data(bytes)) } catch {
            throw ODataFailure(400, "the body is no JSON", code: "LND/BODY")
        }
    }

    var members: [String: ODataJSON]? {
        if case .object(let members) = self { members } else { nil }
    }

    var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The value as JSON text.
    var serialized: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .double(let number): "\(number)"
        case .text(let text): ODataText.quoted(text)
        case .list(let list): "[" + list.map(\.serialized).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { ODataText.quoted($0.key) + ":" + $0.value.serialized }.joined(separator: ",") + "}"
        }
    }

    /// The value as a value of a type; nil if it does not fit.
    func value(_ type: ODataType, _ version: ODataVersion) -> ODataValue? {
        switch (self, type) {
        case (.null, _): return .null
        case (.flag(let flag), .boolean): return .flag(flag)
        case (.number(let number), .decimal): return .decimal(number)
        case (.number(let number), .double), (.number(let number), .single):
            return .double((number as NSDecimalNumber).doubleValue)
        case (.double(let number), .double), (.double(let number), .single): return .double(number)
        case (.number(let number), _): return type.range.flatMap { Self.whole("\(number)", in: $0) }
        case (.text(let text), _): return Self.value(text, type, version)
        case (.object(let members), .address):
            var result: [String: ODataValue] = [:]
            for (name, member) in members where name != "__metadata" && !name.contains("@") {
                guard let property = ODataModel.address.first(where: { $0.name == name }),
                    let value = member.value(property.type, version)
                else { return nil }
                result[name] = value
            }
            return .complex(result)
        default: return nil
        }
    }

    private static func whole(_ text: String, in range: ClosedRange<Int64>) -> ODataValue? {
        Int64(text).flatMap { range.contains($0) ? .integer($0) : nil }
    }

    private static func value(_ text: String, _ type: ODataType, _ version: ODataVersion) -> ODataValue? {
        switch type {
        case .string: return .text(text)
        case .guid: return ODataLiteral.guid(text)
        case .decimal:
            return text.wholeMatch(of: /-?\d{1,30}(\.\d{1,20})?/) == nil
                ? nil : Decimal(string: text).map { .decimal($0) }
        case .int64: return whole(text, in: Int64.min...Int64.max)
        case .double, .single:
            switch text {
            case "INF": return .double(.infinity)
            case "-INF": return .double(-.infinity)
            case "NaN": return .double(.nan)
            default: return version == .v2 ? Double(text).map { .double($0) } : nil
            }
        case .binary:
            let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            return Data(base64Encoded: standard).map { .binary(Array($0)) }
        case .date, .timestamp, .instant: return instant(text, type, version)
        case .duration: return ODataDates.span(duration: Substring(text)).map { .span($0) }
        case .timeOfDay:
            return
                (version == .v2 ? ODataDates.span(duration: Substring(text)) : ODataDates.span(time: Substring(text)))
                .map { .span($0) }
        default: return nil
        }
    }

    private static func instant(_ text: String, _ type: ODataType, _ version: ODataVersion) -> ODataValue? {
        if version == .v2, let match = text.wholeMatch(of: /\/Date\((-?\d{1,16})([+-]\d{1,4})?\)\//) {
            guard (match.2 != nil) == (type == .instant) else { return nil }
            return Int64(match.1).map { .instant($0, offset: match.2.flatMap { Int($0) } ?? 0) }
        }
        guard let instant = ODataDates.instant(Substring(text)) else { return nil }
        let isZoned = type == .instant || (type == .timestamp && version == .v4)
        guard (instant.offset != nil) == isZoned, text.contains("T") != (type == .date && version == .v4) else {
            return nil
        }
        return .instant(instant.milliseconds, offset: type == .instant ? instant.offset ?? 0 : 0)
    }
}
