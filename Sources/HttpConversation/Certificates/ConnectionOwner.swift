/// The owner of connections: a session, or one conversation of it. Only its identity counts.
public final class ConnectionOwner: Sendable, Hashable {
    /// Creates an owner, which equals no other one.
    public init() {}

    /// An owner equals only itself.
    public static func == (one: ConnectionOwner, other: ConnectionOwner) -> Bool { one === other }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
