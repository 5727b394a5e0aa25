/// The result of a run.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// A case that is left out of the findings, and the reason.
    public struct Exception: Hashable, Sendable {
        /// The id of the case.
        public let caseID: String
        /// The reason.
        public let reason: String
    }

    /// The name of the transport.
    public let name: String
    /// The wire between the transport and the server.
    public let wire: ConformanceWire
    /// The ids of the cases that passed.
    public internal(set) var passed: [String] = []
    /// The cases that failed, as their exclusions say.
    public internal(set) var excluded: [Exception] = []
    /// The cases that need a capability which the transport lacks.
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
