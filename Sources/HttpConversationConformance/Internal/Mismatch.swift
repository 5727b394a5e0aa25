/// The expectation of a case, and the observed behaviour.
struct Mismatch: Error {
    let expected: String
    let happened: String
}

/// Throws a mismatch unless a condition holds.
func expect(_ holds: Bool, _ expected: @autoclosure () -> String, _ happened: @autoclosure () -> String) throws {
    guard holds else { throw Mismatch(expected: expected(), happened: happened()) }
}

/// Throws a mismatch unless two values are equal.
func expect<Value: Equatable>(_ happened: Value, is expected: Value, _ what: @autoclosure () -> String) throws {
    try expect(happened == expected, "\(what()): \(brief(expected))", brief(happened))
}

/// A value as text, cut to a readable length.
private func brief(_ value: some Any) -> String {
    let text = "\(value)"
    return text.count > 300 ? "\(text.prefix(300))… (\(text.count) characters)" : text
}
