/// What the suite throws where a transport does not conform.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// What was found, in order of the cases.
    public let findings: [ConformanceFinding]
    /// What was well.
    public let report: ConformanceReport

    public var description: String {
        "\(report)\n\(findings.count) findings:\n" + findings.map(\.description).joined(separator: "\n")
    }
}
