/// A key of any type together with the type of what is kept under it, so that equal keys of different kinds never meet.
package struct SendableKey: Hashable, @unchecked Sendable {
    // Proof: `key` is only ever made from a `Key: Sendable` and never changed.
    private let key: AnyHashable
    private let value: ObjectIdentifier

    /// - Parameter value: the type of what is kept under the key
    package init<Key: Hashable & Sendable, Value>(_ key: Key, for value: Value.Type) {
        self.key = AnyHashable(key)
        self.value = ObjectIdentifier(value)
    }
}
