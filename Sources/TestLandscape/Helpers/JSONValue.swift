import Foundation

/// JSON with a shape that is known only at run time.
enum JSONValue: Encodable, Sendable {
    case nothing
    case text(String)
    case number(Int)
    case float(Double)
    case flag(Bool)
    case list([JSONValue])
    case object([String: JSONValue])

    static func texts(_ texts: [String]) -> JSONValue {
        .list(texts.map { .text($0) })
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .nothing:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .text(let text): try text.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .float(let number): try number.encode(to: encoder)
        case .flag(let flag): try flag.encode(to: encoder)
        case .list(let values): try values.encode(to: encoder)
        case .object(let members): try members.encode(to: encoder)
        }
    }
}

/// Encodes JSON with sorted keys, plain slashes and ISO 8601 dates.
enum JSONBody {
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(value))
    }
}
