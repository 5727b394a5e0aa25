import Foundation
import HttpC

/// JSON of the command line, with exact numbers.
enum ODataInput: Codable, Sendable {
    case null
    case flag(Bool)
    case whole(Int64)
    case number(Decimal)
    case text(String)
    case list([ODataInput])
    case object([String: ODataInput])

    /// Reads the value of `--data`: JSON, `@FILE`, or `@-` for standard input.
    static func read(_ argument: String) throws(CommandFailure) -> ODataInput {
        let bytes = try InputFile.contents(argument) ?? Array(argument.utf8)
        guard case .object(let members)? = try? JSONDecoder().decode(ODataInput.self, from: Data(bytes)) else {
            throw CommandFailure(
                .usage, "--data needs an object of JSON, such as '{\"Name\": \"Tea\"}'. Nothing was sent.")
        }
        return .object(members.filter { $0.key != "@odata.etag" })
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int64.self) {
            self = .whole(number)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let list = try? container.decode([ODataInput].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ODataInput].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .whole(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let members): try container.encode(members)
        }
    }
}
