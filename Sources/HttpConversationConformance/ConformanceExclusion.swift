/// Cases that a transport is known to fail, and the reason. They are run all the same: a case that passes fails the
/// suite, so an exclusion does not outlive its reason.
public struct ConformanceExclusion: Sendable {
    /// The ids of the cases.
    public let cases: [String]
    /// The reason why the cases fail, for readers of the report.
    public let reason: String
    let timeLimit: Duration?
    let isCertain: Bool
    let failsAlone: (@Sendable (_ id: String) async throws -> Bool)?

    /// Excludes cases.
    ///
    /// - Parameters:
    ///   - cases: their ids
    ///   - reason: why they fail
    ///   - timeLimit: the time after which a case has failed, for cases that never end; nil: the time limit of the run
    ///   - isCertain: false for a case that fails only sometimes; it may pass
    ///   - failsAlone: runs a case in a process of its own and returns whether it failed for that reason, for cases
    ///     that may end the process or keep it busy; nil: they are run like all others
    public init(
        _ cases: String..., because reason: String, within timeLimit: Duration? = nil, isCertain: Bool = true,
        failsAlone: (@Sendable (_ id: String) async throws -> Bool)? = nil
    ) {
        self.cases = cases
        self.reason = reason
        self.timeLimit = timeLimit
        self.isCertain = isCertain
        self.failsAlone = failsAlone
    }
}

/// The exclusions of a run, by case.
struct Exclusions: Sendable {
    private var byCase: [String: ConformanceExclusion] = [:]

    init(_ exclusions: [ConformanceExclusion]) {
        for exclusion in exclusions { for id in exclusion.cases { byCase[id] = exclusion } }
    }

    subscript(id: String) -> ConformanceExclusion? { byCase[id] }

    /// Findings for exclusions with unknown ids. A run of only some cases has none.
    func problems(chosen: [ConformanceCase], isWhole: Bool) -> [ConformanceFinding] {
        guard isWhole else { return [] }
        return Set(byCase.keys).subtracting(chosen.map(\.id)).sorted().map {
            ConformanceFinding(
                caseID: $0, title: "an exclusion", expected: "the id of a case of this wire", happened: "there is none")
        }
    }
}
