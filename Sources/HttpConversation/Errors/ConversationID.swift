import HttpConvFormats
import Synchronization

/// Identifies one conversation in logs, events and errors. Unique in the process, unguessable across processes.
public struct ConversationID: Hashable, Sendable {
    /// The number behind the text.
    public let rawValue: UInt64

    /// Restores a stored id, such as one of a transfer that outlives the process.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    private static let seed = UInt64.random(in: .min ... .max)
    private static let counter = Atomic<UInt64>(0)

    /// A new id. A counter mixed with a seed of the process: no system call per conversation.
    public init() {
        var value = Self.seed &+ Self.counter.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        rawValue = value ^ (value >> 31)
    }
}

extension ConversationID: CustomStringConvertible {
    /// Sixteen hexadecimal digits.
    public var description: String { String(rawValue, radix: 16).zeroPadded(to: 16) }
}
