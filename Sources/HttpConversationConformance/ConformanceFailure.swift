/// The error for a transport that does not conform.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The findings, in order of the cases.
    public let findings: [ConformanceFinding]
    /// The report of the other cases.
    public let report: ConformanceReport

    public var description: String {
        "\(report)\n\(findings.count) findings:\n" + findings.map(\.description).joined(separator: "\n")
    }
}
