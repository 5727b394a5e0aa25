import HttpConvFormats
import HttpConvPlatform

/// A value of a configuration file: a property list or JSON.
indirect enum OptionNode: Decodable, Sendable {
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([OptionNode])
    case group([String: OptionNode])

    private static let maximumBytes = 1 << 20
    private static let maximumDepth = 16

    /// Reads a file; nil if it is neither.
    static func read(_ data: Data) -> OptionNode? {
        guard data.count <= maximumBytes else { return nil }
        let start = data.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        if start == UInt8(ascii: "{") { return try? JSONDecoder().decode(OptionNode.self, from: data) }
        return try? PropertyListDecoder().decode(OptionNode.self, from: data)
    }

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "too deep"))
        }
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([OptionNode].self) {
            self = .list(list)
        } else {
            self = .group(try container.decode([String: OptionNode].self))
        }
    }

    var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .number(0), .text("NO"), .text("false"): false
        case .number(1), .text("YES"), .text("true"): true
        default: nil
        }
    }

    var number: Int? {
        switch self {
        case .number(let number): number
        case .text(let text): PeerNumber.integer(text.utf8, as: Int.self)
        default: nil
        }
    }

    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        default: nil
        }
    }
}
