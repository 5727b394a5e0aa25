/// A key of any type together with the type of its value, so that equal keys for different types stay apart.
package struct SendableKey: Hashable, @unchecked Sendable {
    // Proof: `key` is only ever made from a `Key: Sendable` and never changed.
    private let key: AnyHashable
    private let value: ObjectIdentifier

    /// - Parameter value: the type of the value that is kept under the key
    package init<Key: Hashable & Sendable, Value>(_ key: Key, for value: Value.Type) {
        self.key = AnyHashable(key)
        self.value = ObjectIdentifier(value)
    }
}
