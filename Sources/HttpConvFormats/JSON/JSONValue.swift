package import HttpConvPlatform

/// A JSON value of any type. Whole numbers of 64 bits and decimal fractions of 38 digits are exact.
package enum JSONValue: Hashable, Codable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Decimal)
    /// A number beyond the range of `Decimal`.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a document; nil if it is not valid JSON, or beyond the limits.
    package init?(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
        guard let document = try? JSONDocument(bytes, limits: limits), let value = try? JSONValue(document.root) else {
            return nil
        }
        self = value
    }

    private init(_ element: JSONElement) throws(FormatFailure) {
        switch element.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .string: self = .string(try element.document.text(of: element.index))
        case .number:
            let digits = element.document.raw(of: element.index)
            if let whole = PeerNumber.integer(digits, as: Int64.self) {
                self = .integer(whole)
            } else if let exact = EdmText.decimal(digits) {
                self = .decimal(exact)
            } else if let number = EdmText.double(digits) {
                self = .double(number)
            } else {
                throw FormatFailure("a number in it is too large")
            }
        case .array:
            var elements: [JSONValue] = []
            for element in element.elements { elements.append(try JSONValue(element)) }
            self = .array(elements)
        case .object:
            var members: [String: JSONValue] = [:]
            for (name, member) in try element.members() { members[name] = try JSONValue(member) }
            self = .object(members)
        }
    }

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Decimal.self) {
            self = .decimal(number)
        } else if let number = try? value.decode(Double.self) {
            self = .double(number)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .integer(let number): try value.encode(number)
        case .decimal(let number): try value.encode(number)
        case .double(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let members): try value.encode(members)
        }
    }

    /// The members of a JSON object; nil if the bytes are anything else.
    package static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let members)? = JSONValue(bytes) else { return nil }
        return members
    }

    /// A member of a JSON object; nil if it is missing, or this is not an object.
    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The elements of an array; empty if this is not an array.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// A text that is not empty.
    package var text: String? {
        if case .string(let text) = self, !text.isEmpty { text } else { nil }
    }

    /// A number, or a text with a number; always finite.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .decimal(let number): PeerNumber.decimal("\(number)")
        case .double(let number): number
        case .string(let text): PeerNumber.decimal(text.trimmingSpaces)
        default: nil
        }
    }

    /// A duration, clamped to a range; nil if this is not a number.
    package func seconds(clampingTo range: ClosedRange<Duration>) -> Duration? {
        number.flatMap { PeerNumber.seconds($0, clampingTo: range) }
    }

    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The texts of an array; a single text counts as an array of one.
    package var texts: [String]? {
        switch self {
        case .array(let values): values.compactMap(\.text)
        case .string(let text): [text]
        default: nil
        }
    }
}
