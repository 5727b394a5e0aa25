/// A value that is never printed: not by `description`, `dump`, `Mirror` or string interpolation (security rule S20).
public struct Redacted<Value> {
    /// The value itself, for the code that needs it.
    public var value: Value

    /// Wraps a secret.
    public init(_ value: Value) { self.value = value }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
