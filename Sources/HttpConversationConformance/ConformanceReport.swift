/// What was run, and what was not.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// A case that was left out, and why.
    public struct Exception: Hashable, Sendable {
        /// The id of the case.
        public let caseID: String
        /// Why it is no finding.
        public let reason: String
    }

    /// The transport, as it was called.
    public let name: String
    /// What was between it and the server.
    public let wire: ConformanceWire
    /// The ids of the cases that passed.
    public internal(set) var passed: [String] = []
    /// The cases that failed as their exclusions say.
    public internal(set) var excluded: [Exception] = []
    /// The cases that need what the transport says it cannot do.
    public internal(set) var notRun: [Exception] = []

    public var description: String {
        let head =
            "\(name): \(passed.count) cases passed, \(excluded.count) excluded, \(notRun.count) not run"
        return ([head] + Self.lines("excluded", excluded) + Self.lines("not run", notRun)).joined(separator: "\n")
    }

    private static func lines(_ word: String, _ exceptions: [Exception]) -> [String] {
        exceptions.map { "  \(word): \($0.caseID): \($0.reason)" }
    }
}
