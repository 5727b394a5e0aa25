public import HttpConversation

/// The contract of ``/HttpConversation/HTTPTransport``, as cases that any transport can run.
///
/// Each case has a server of its own, which writes its bytes to sockets. It uses no HTTP library, because that could
/// have the same mistakes as the transport.
public enum TransportConformance {
    /// All cases, by group.
    public static let cases: [ConformanceCase] = CaseList.all

    /// Runs the cases that a wire allows.
    ///
    /// - Parameters:
    ///   - name: the name of the transport in the report
    ///   - wire: the wire between the transport and the server
    ///   - exclusions: cases that it is known to fail; they are run, and must fail
    ///   - ids: the cases to run; nil: all. An id that no case has is a finding, and so is each if none is of this wire
    ///   - width: how many cases run at a time
    ///   - timeLimit: the limit for each case; one that takes longer is a finding
    ///   - makeTransport: makes a new transport for each case; the suite shuts it down
    /// - Throws: ``ConformanceError`` with every finding
    @discardableResult
    public static func run(
        _ name: String = "transport", over wire: ConformanceWire = .http1,
        excluding exclusions: [ConformanceExclusion] = [],
        only ids: Set<String>? = nil, inParallel width: Int = 8, timeLimit: Duration = .seconds(20),
        makeTransport: @escaping @Sendable (ConformanceSetup) async throws -> any HTTPTransport
    ) async throws(ConformanceError) -> ConformanceReport {
        let runner = CaseRunner(wire: wire, timeLimit: timeLimit, makeTransport: makeTransport)
        let chosen = cases.filter { $0.wires.contains(wire) && ids?.contains($0.id) != false }
        let known = Exclusions(exclusions)
        var report = ConformanceReport(name: name, wire: wire)
        var findings = known.problems(chosen: chosen, isWhole: ids == nil) + missing(ids, chosen: chosen)
        let outcomes = await runner.outcomes(of: chosen, inParallel: width, exclusions: known)
        for (test, outcome) in zip(chosen, outcomes) {
            let exclusion = known[test.id]
            switch (outcome, exclusion) {
            case (.passed, nil): report.passed.append(test.id)
            case (.failed(let finding), nil): findings.append(finding)
            case (.notRun(let reason), _): report.notRun.append(.init(caseID: test.id, reason: reason))
            case (.passed, let exclusion?) where exclusion.isCertain:
                findings.append(
                    ConformanceFinding(
                        caseID: test.id, title: test.title, expected: "to fail, because \(exclusion.reason)",
                        happened: "it passes: take its exclusion away"))
            case (_, let exclusion?): report.excluded.append(.init(caseID: test.id, reason: exclusion.reason))
            }
        }
        guard findings.isEmpty else { throw ConformanceError(findings: findings, report: report) }
        return report
    }

    /// Findings for ids without a case: a run of nothing would pass.
    private static func missing(_ ids: Set<String>?, chosen: [ConformanceCase]) -> [ConformanceFinding] {
        (ids ?? []).subtracting(chosen.isEmpty ? [] : cases.map(\.id)).sorted().map {
            ConformanceFinding(
                caseID: $0, title: "a case to run", expected: "the id of a case of this wire", happened: "there is none"
            )
        }
    }
}

/// The error for a transport that does not conform.
public struct ConformanceError: Error, Sendable, CustomStringConvertible {
    /// The findings, in order of the cases.
    public let findings: [ConformanceFinding]
    /// The report of the other cases.
    public let report: ConformanceReport

    public var description: String {
        "\(report)\n\(findings.count) findings:\n" + findings.map(\.description).joined(separator: "\n")
    }
}
