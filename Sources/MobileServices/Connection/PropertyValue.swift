public import Foundation
import HttpConvNumbers

/// A value of a connection's property, as the service's data types have it (OData 2.0).
public enum PropertyValue: Hashable, Sendable, Codable {
    /// No value.
    case null
    /// `Edm.Boolean`.
    case boolean(Bool)
    /// Whole numbers of any size up to 64 bits.
    case integer(Int64)
    /// Other numbers.
    case double(Double)
    /// `Edm.String`, and what is of a type that is not known.
    case string(String)
    /// `Edm.DateTime`, in UTC.
    case date(Date)
}

/// What a property may be in Swift: `String`, `Bool`, `Int` and `Date`.
public protocol ConnectionPropertyValue: Hashable, Sendable {
    /// The value as the service gave it, or as this type says it; nil where it is of another type.
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
    /// Takes `"true"` and `"false"`, too.
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
    /// Takes a number as text, too; the service's numbers have 32 bits.
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
    /// Takes the text of JSON, `/Date(1484028633406)/`, too.
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
