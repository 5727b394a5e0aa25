import HttpConvFormats

/// The kinds of values that are read differently.
enum EdmKind: Equatable {
    case unknown
    case boolean
    case integer
    case int64
    case decimal
    case double
    case single
    case string
    case guid
    case binary
    /// `Edm.DateTimeOffset`
    case dateTime
    /// `Edm.DateTime` of OData 2.0, which has no offset.
    case localDateTime
    case date
    case timeOfDay
    case duration
    case enumeration(String)
    case structured(String)

    /// The kind of a primitive type by its name; nil for other types.
    init?(primitive name: String) {
        switch name {
        case "Edm.Boolean": self = .boolean
        case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32": self = .integer
        case "Edm.Int64": self = .int64
        case "Edm.Decimal": self = .decimal
        case "Edm.Double": self = .double
        case "Edm.Single": self = .single
        case "Edm.String": self = .string
        case "Edm.Guid": self = .guid
        case "Edm.Binary": self = .binary
        case "Edm.DateTimeOffset": self = .dateTime
        case "Edm.DateTime": self = .localDateTime
        case "Edm.Date": self = .date
        case "Edm.TimeOfDay": self = .timeOfDay
        case "Edm.Time", "Edm.Duration": self = .duration
        case _ where name.hasPrefix("Edm."): self = .unknown
        default: return nil
        }
    }

    /// The value of a text; nil if it does not fit the kind.
    func value(_ text: String) -> ODataValue? {
        let bytes = Array(text.utf8)[...]
        return switch self {
        case .unknown:
            bytes.starts(with: "/Date(".utf8)
                ? ODataDateTime(text).map { .dateTime($0) } ?? .string(text) : .string(text)
        case .string: .string(text)
        case .boolean: ["true": true, "false": false][text].map { .boolean($0) }
        case .integer: PeerNumber.integer(bytes, as: Int64.self).map { .integer($0) }
        case .int64: PeerNumber.integer(bytes, as: Int64.self).map { .int64($0) }
        case .decimal: EdmText.decimal(bytes).map { .decimal($0) }
        case .double: EdmText.double(bytes).map { .double($0) }
        case .single: EdmText.double(bytes).map { .single(Float($0)) }
        case .guid: EdmText.guid(bytes).map { .guid($0) }
        case .binary: EdmText.binary(text).map { .binary($0) }
        case .dateTime, .localDateTime: ODataDateTime(bytes: bytes).map { .dateTime($0) }
        case .date: ODataDate(text).map { .date($0) }
        case .timeOfDay: ODataTimeOfDay(text).map { .timeOfDay($0) }
        case .duration: DurationText.duration(bytes).map { .duration($0) }
        case .enumeration(let type): .enumeration(ODataEnumeration(type: type, member: text))
        case .structured: nil
        }
    }

    /// The value of a number as written; nil if it does not fit the kind.
    func value(number bytes: ArraySlice<UInt8>) -> ODataValue? {
        switch self {
        case .unknown:
            if let whole = PeerNumber.integer(bytes, as: Int64.self) { return .integer(whole) }
            let hasExponent = bytes.contains { $0 | 0x20 == UInt8(ascii: "e") }
            if !hasExponent, let decimal = EdmText.decimal(bytes) { return .decimal(decimal) }
            return EdmText.double(bytes).map { .double($0) }
        case .integer, .int64, .decimal, .double, .single, .enumeration:
            return value(String(decoding: bytes, as: UTF8.self))
        default: return nil
        }
    }

    /// Whether a text that this library cannot hold is in the notation of the kind (OData ABNF): a date outside of the
    /// years 1 to 9999, or a number with too many digits.
    func isNotation(_ text: String) -> Bool {
        switch self {
        case .decimal:
            let bytes = Array(text.utf8)
            let rest = bytes.dropFirst(bytes.first == UInt8(ascii: "-") ? 1 : 0)
            let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
        case .date: return Self.inHeldYear(text).map { ODataDate($0) != nil } ?? false
        case .dateTime, .localDateTime: return Self.inHeldYear(text).map { ODataDateTime($0) != nil } ?? false
        default: return false
        }
    }

    /// A date with another year, which this library holds and which has the same days. The calendar repeats itself after
    /// 400 years. Nil if the text has no year.
    private static func inHeldYear(_ text: String) -> String? {
        let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let year = unsigned.prefix { $0 != "-" }
        guard year.utf8.count >= 4, year.utf8.allSatisfy(\.isASCIIDigit),
            year.utf8.count == 4 || !year.hasPrefix("0"),
            let lastDigits = PeerNumber.integer(year.suffix(4).utf8, as: Int.self)
        else { return nil }
        return "\(2000 + lastDigits % 400)\(unsigned[year.endIndex...])"
    }
}
