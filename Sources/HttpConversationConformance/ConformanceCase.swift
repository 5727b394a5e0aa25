public import HttpConversation

/// A single requirement for transports.
public struct ConformanceCase: Sendable, Identifiable {
    /// The stable and unique id, such as `framing.conflicting-lengths`: the group, then a name.
    public let id: String
    /// The expectation, in words.
    public let title: String
    /// The group of the case.
    public let group: ConformanceGroup
    /// The wires on which the case can run.
    public let wires: Set<ConformanceWire>
    /// The capabilities that the case needs. Without them the case is not run, and the report says so.
    public let needs: TransportCapabilities
    let run: @Sendable (CaseRun) async throws -> Void

    init(
        _ group: ConformanceGroup, _ name: String, _ title: String, on wires: Set<ConformanceWire>,
        needs: TransportCapabilities = [], run: @escaping @Sendable (CaseRun) async throws -> Void
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
