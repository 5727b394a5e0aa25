/// Recognises a filter or observer that was added: an object by its identity, a value by `==`.
struct AddedValue {
    private let isThis: (Any) -> Bool

    /// Nil for a value that cannot be compared.
    init?(_ value: Any) {
        if type(of: value) is AnyClass {
            let object = value as AnyObject
            isThis = { type(of: $0) is AnyClass && ($0 as AnyObject) === object }
        } else if let value = value as? any Equatable {
            isThis = Self.comparing(value)
        } else {
            return nil
        }
    }

    func isSame(as other: Any) -> Bool { isThis(other) }

    private static func comparing<Value: Equatable>(_ value: Value) -> (Any) -> Bool { { $0 as? Value == value } }
}
