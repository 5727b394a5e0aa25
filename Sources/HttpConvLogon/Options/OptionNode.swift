import HttpConvFormats
import HttpConvPlatform

/// A value of a configuration file: a property list, as XML or binary, or JSON.
///
/// Foundation's readers of property lists bound neither the depth nor the number of values, so they are not used.
indirect enum OptionNode: Hashable, Sendable {
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([OptionNode])
    case group([String: OptionNode])

    static let maximumBytes = 1 << 20
    /// The maximum number of values and keys.
    static let maximumValues = 10_000
    /// The maximum depth of nested lists and groups.
    static let maximumDepth = 16

    /// Reads a file; nil if it is neither a property list nor JSON, or exceeds the limits.
    ///
    /// - Throws: the reason, for XML
    static func read(_ data: Data) throws(FormatFailure) -> OptionNode? {
        guard data.count <= maximumBytes else { return nil }
        let bytes = [UInt8](data.drop(while: \.isBlank))
        if bytes.first == UInt8(ascii: "{") {
            var limits = JSONLimits()
            limits.depth = maximumDepth
            limits.tokens = maximumValues
            return JSONValue(bytes, limits: limits).flatMap { OptionNode($0) }
        }
        if BinaryPropertyList.isOne(bytes) { return BinaryPropertyList.read(bytes) }
        return try XMLPropertyList.read(bytes)
    }

    /// Nil for a value of a type that no option has.
    private init?(_ value: JSONValue) {
        switch value {
        case .bool(let flag): self = .flag(flag)
        case .string(let text): self = .text(text)
        case .integer(let number): self = .number(Int(clamping: number))
        case .decimal(let number):
            guard let whole = PeerNumber.integer("\(number)".utf8, as: Int.self) else { return nil }
            self = .number(whole)
        case .array(let elements):
            var list: [OptionNode] = []
            for element in elements {
                guard let node = OptionNode(element) else { return nil }
                list.append(node)
            }
            self = .list(list)
        case .object(let members):
            var group: [String: OptionNode] = [:]
            for (name, member) in members {
                guard let node = OptionNode(member) else { return nil }
                group[name] = node
            }
            self = .group(group)
        case .null, .double: return nil
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
