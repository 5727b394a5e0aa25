import HttpConvNumbers
import ODataFormats

/// Any JSON value, whole numbers exact.
indirect enum JSONNode: Hashable, Encodable, Sendable {
    case value(PropertyValue)
    case array([JSONNode])
    case object([String: JSONNode])

    /// Reads a document; nil if it is invalid or nested too deeply.
    static func read(_ bytes: [UInt8]) -> JSONNode? {
        do throws(FormatProblem) { return try JSONNode(JSONDocument(bytes).root) } catch { return nil }
    }

    private init(_ value: JSONValue) throws(FormatProblem) {
        switch value.kind {
        case .null: self = .value(.null)
        case .true: self = .value(.boolean(true))
        case .false: self = .value(.boolean(false))
        case .string: self = .value(.string(try value.document.text(of: value.index)))
        case .number: self = .value(try Self.number(value.document.raw(of: value.index)))
        case .array:
            var elements: [JSONNode] = []
            for element in value.elements { elements.append(try JSONNode(element)) }
            self = .array(elements)
        case .object:
            var members: [String: JSONNode] = [:]
            for (name, member) in try value.members() { members[name] = try JSONNode(member) }
            self = .object(members)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) throws(FormatProblem) -> PropertyValue {
        if let whole = PeerNumber.integer(bytes, as: Int64.self) { return .integer(whole) }
        guard let number = EdmText.double(bytes) else { throw FormatProblem("a number in it is too large") }
        return Int64(exactly: number).map { .integer($0) } ?? .double(number)
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

    /// The elements of an array, or of the service's `results`; nil for anything else.
    var elements: [JSONNode]? {
        if case .array(let elements) = self { return elements }
        return self["results"]?.elements
    }

    var text: String? {
        if case .value(.string(let text)) = self { text } else { nil }
    }
}
