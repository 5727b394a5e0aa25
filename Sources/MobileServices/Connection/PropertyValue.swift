import HttpConvFormats
public import HttpConvPlatform

/// A value of a connection's property in the service's data types (OData 2.0).
public enum PropertyValue: Hashable, Sendable, Codable {
    /// No value.
    case null
    /// `Edm.Boolean`.
    case boolean(Bool)
    /// Whole numbers of any size up to 64 bits.
    case integer(Int64)
    /// Other numbers.
    case double(Double)
    /// `Edm.String`, and values of unknown types.
    case string(String)
    /// `Edm.DateTime`, in UTC.
    case date(Date)
}

/// A Swift type for properties: `String`, `Bool`, `Int` and `Date`.
public protocol ConnectionPropertyValue: Hashable, Sendable {
    /// Converts a value of the service; nil if it is of another type.
    init?(_ value: PropertyValue)
    /// The value as it is sent.
    var propertyValue: PropertyValue { get }
}

extension String: ConnectionPropertyValue {
    public init?(_ value: PropertyValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }

    public var propertyValue: PropertyValue { .string(self) }
}

extension Bool: ConnectionPropertyValue {
    /// Also accepts `"true"` and `"false"`.
    public init?(_ value: PropertyValue) {
        switch value {
        case .boolean(let flag): self = flag
        case .string("true"): self = true
        case .string("false"): self = false
        default: return nil
        }
    }

    public var propertyValue: PropertyValue { .boolean(self) }
}

extension Int: ConnectionPropertyValue {
    /// Also accepts a number as text. The service's numbers have 32 bits.
    public init?(_ value: PropertyValue) {
        switch value {
        case .integer(let number):
            guard let number = Int32(exactly: number) else { return nil }
            self = Int(number)
        case .string(let text):
            guard let number = PeerNumber.integer(text.utf8, as: Int32.self) else { return nil }
            self = Int(number)
        default: return nil
        }
    }

    public var propertyValue: PropertyValue { .integer(Int64(self)) }
}

extension Date: ConnectionPropertyValue {
    /// Also accepts the text of JSON, `/Date(1484028633406)/`.
    public init?(_ value: PropertyValue) {
        switch value {
        case .date(let date): self = date
        case .string(let text):
            guard let date = ServiceDate.fromJSON(text) else { return nil }
            self = date
        default: return nil
        }
    }

    public var propertyValue: PropertyValue { .date(self) }
}
