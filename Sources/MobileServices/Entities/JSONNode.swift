import Foundation

/// Any JSON value, whole numbers exact.
indirect enum JSONNode: Hashable, Codable, Sendable {
    case value(PropertyValue)
    case array([JSONNode])
    case object([String: JSONNode])

    /// More is no answer of a service but an attack on a parser.
    private static let maximumDepth = 64

    /// Reads a document; nil where it is none.
    static func read(_ bytes: [UInt8]) -> JSONNode? {
        guard !isDeep(bytes) else { return nil }
        return try? JSONDecoder().decode(JSONNode.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .value(.null)
        } else if let flag = try? container.decode(Bool.self) {
            self = .value(.boolean(flag))
        } else if let text = try? container.decode(String.self) {
            self = .value(.string(text))
        } else if let number = try? container.decode(Int64.self) {
            self = .value(.integer(number))
        } else if let number = try? container.decode(Double.self) {
            self = .value(.double(number))
        } else if let elements = try? container.decode([JSONNode].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONNode].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .value(.null): try container.encodeNil()
        case .value(.boolean(let flag)): try container.encode(flag)
        case .value(.integer(let number)): try container.encode(number)
        case .value(.double(let number)): try container.encode(number)
        case .value(.string(let text)): try container.encode(text)
        case .value(.date(let date)): try container.encode(ServiceDate.json(date))
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    subscript(name: String) -> JSONNode? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The elements of an array, or of a collection of the service (`results`); nil where this is neither.
    var elements: [JSONNode]? {
        if case .array(let elements) = self { return elements }
        return self["results"]?.elements
    }

    var text: String? {
        if case .value(.string(let text)) = self { text } else { nil }
    }

    /// The nesting of brackets, outside of strings.
    private static func isDeep(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        var isText = false
        var isEscaped = false
        for byte in bytes {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isText = byte != UInt8(ascii: "\"")
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: continue
            }
            if depth > maximumDepth { return true }
        }
        return false
    }
}
