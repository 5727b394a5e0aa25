public import HttpConversation

/// One thing that a transport has to do, or must not do.
public struct ConformanceCase: Sendable, Identifiable {
    /// Stable and unique, such as `framing.conflicting-lengths`: the group, then a name.
    public let id: String
    /// What is expected, in words.
    public let title: String
    /// What it is about.
    public let group: ConformanceGroup
    /// Where it can be run.
    public let wires: Set<ConformanceWire>
    /// What the transport must be able to do; without it the case is not run, and the report says so.
    public let needs: TransportCapabilities
    let run: @Sendable (Stage) async throws -> Void

    init(
        _ group: ConformanceGroup, _ name: String, _ title: String, on wires: Set<ConformanceWire>,
        needs: TransportCapabilities = [], run: @escaping @Sendable (Stage) async throws -> Void
    ) {
        id = "\(group.rawValue).\(name)"
        self.title = title
        self.group = group
        self.wires = wires
        self.needs = needs
        self.run = run
    }
}

extension ConformanceCase: CustomStringConvertible {
    /// Id and title.
    public var description: String { "\(id): \(title)" }
}
