/// A key of any type together with the type of its value, so that equal keys for different types stay apart.
package struct SendableKey: Hashable, Sendable {
    /// An object with the known hash, because keys are passed around and looked up by each conversation that waits.
    private final class Parts: Sendable {
        let key: any Hashable & Sendable
        let value: ObjectIdentifier
        let hash: Int

        init(_ key: some Hashable & Sendable, _ value: ObjectIdentifier) {
            self.key = key
            self.value = value
            hash = key.hashValue
        }
    }

    private let parts: Parts

    /// - Parameter value: the type of the value that is kept under the key
    package init<Key: Hashable & Sendable, Value>(_ key: Key, for value: Value.Type) {
        parts = Parts(key, ObjectIdentifier(value))
    }

    package static func == (one: SendableKey, other: SendableKey) -> Bool {
        one.parts === other.parts
            || one.parts.hash == other.parts.hash && one.parts.value == other.parts.value
                && one.parts.key.isEqual(to: other.parts.key)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }
}

extension Equatable {
    fileprivate func isEqual(to other: any Sendable) -> Bool { other as? Self == self }
}
