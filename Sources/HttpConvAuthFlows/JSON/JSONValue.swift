import Foundation
import HttpConvNumbers

/// A JSON value of any type: servers do not always send the type that the standard asks for.
package enum JSONValue: Codable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
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
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let members): try value.encode(members)
        }
    }

    /// The members of a JSON object; nil if the bytes are anything else.
    static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let members) = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
            return nil
        }
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
        case .number(let number): number
        case .string(let text): PeerNumber.decimal(text.trimmingCharacters(in: .whitespaces))
        default: nil
        }
    }

    /// A duration, clamped to a range; nil if this is not a number.
    func seconds(clampingTo range: ClosedRange<Duration>) -> Duration? {
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
