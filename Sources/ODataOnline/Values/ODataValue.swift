import HttpConvFormats
public import HttpConvPlatform

/// A value of OData, exact: a decimal is never converted to a floating-point number.
public enum ODataValue: Hashable, Sendable {
    /// No value.
    case null
    /// `Edm.Boolean`
    case boolean(Bool)
    /// A whole number. The service takes it for its own type: `Edm.Byte` to `Edm.Int64`.
    case integer(Int64)
    /// `Edm.Int64`. In OData 2.0 its literals and JSON differ from those of smaller numbers.
    case int64(Int64)
    /// `Edm.Decimal`, with up to 38 digits.
    case decimal(Decimal)
    /// `Edm.Double`
    case double(Double)
    /// `Edm.Single`
    case single(Float)
    /// `Edm.String`
    case string(String)
    /// `Edm.Guid`
    case guid(UUID)
    /// `Edm.Binary`
    case binary(Data)
    /// `Edm.DateTimeOffset`, and `Edm.DateTime` of OData 2.0, which has no offset.
    case dateTime(ODataDateTime)
    /// `Edm.Date` (4.0)
    case date(ODataDate)
    /// `Edm.TimeOfDay` (4.0)
    case timeOfDay(ODataTimeOfDay)
    /// `Edm.Duration` (4.0), and `Edm.Time` of OData 2.0.
    case duration(Duration)
    /// A member of an enumeration type, or several separated by commas (4.0).
    case enumeration(ODataEnumeration)
    /// A value of a complex type, or an expanded entity.
    case complex(ODataRow)
    /// Values, or expanded entities.
    case collection([ODataValue])
    /// The address of entities that were not expanded (2.0).
    case deferred(String)
}

extension ODataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: ODataValue...) { self = .collection(elements) }
}

extension ODataValue {
    /// A point in time, to a microsecond.
    ///
    /// - Returns: ``null`` outside of the years 1 to 9999
    public static func time(_ date: Date) -> ODataValue { ODataDateTime(date).map { .dateTime($0) } ?? .null }
}

/// The value as a Swift type; nil if it is of another type.
extension ODataValue {
    /// Whether there is no value.
    public var isNull: Bool { self == .null }
    /// A text.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// A truth value.
    public var bool: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
    /// A whole number, also from a text: OData 2.0 writes `Edm.Int64` so.
    public var int64: Int64? {
        switch self {
        case .integer(let number), .int64(let number): number
        case .string(let text): PeerNumber.integer(text.utf8, as: Int64.self)
        default: nil
        }
    }
    /// A decimal number, also from a whole one or a text.
    public var decimal: Decimal? {
        switch self {
        case .integer(let number), .int64(let number): Decimal(number)
        case .decimal(let number): number
        case .string(let text): EdmText.decimal(text.utf8)
        default: nil
        }
    }
    /// A floating-point number: the nearest one to numbers of other types.
    public var double: Double? {
        switch self {
        case .integer(let number), .int64(let number): Double(number)
        case .decimal(let number): EdmText.double(Array(number.description.utf8)[...])
        case .double(let number): number
        case .single(let number): Double(number)
        case .string(let text): EdmText.double(Array(text.utf8)[...])
        default: nil
        }
    }
    /// A GUID, also from a text.
    public var guid: UUID? {
        switch self {
        case .guid(let guid): guid
        case .string(let text): EdmText.guid(Array(text.utf8)[...])
        default: nil
        }
    }
    /// Bytes, also from a text in base64.
    public var binary: Data? {
        switch self {
        case .binary(let bytes): bytes
        case .string(let text): EdmText.binary(text)
        default: nil
        }
    }
    /// Date and time, also from a text.
    public var dateTime: ODataDateTime? {
        switch self {
        case .dateTime(let time): time
        case .string(let text): ODataDateTime(text)
        default: nil
        }
    }
    /// A date, also from a text.
    public var date: ODataDate? {
        switch self {
        case .date(let date): date
        case .string(let text): ODataDate(text)
        default: nil
        }
    }
    /// A time of day, also from a text.
    public var timeOfDay: ODataTimeOfDay? {
        switch self {
        case .timeOfDay(let time): time
        case .string(let text): ODataTimeOfDay(text)
        default: nil
        }
    }
    /// A duration, also from a text.
    public var duration: Duration? {
        switch self {
        case .duration(let duration): duration
        case .string(let text): DurationText.duration(Array(text.utf8)[...])
        default: nil
        }
    }
    /// A complex value, or an entity.
    public var row: ODataRow? { if case .complex(let row) = self { row } else { nil } }
    /// Values, or entities.
    public var elements: [ODataValue]? { if case .collection(let elements) = self { elements } else { nil } }
}
