/// Cases that a transport is known not to pass, and why. They are run all the same: one that passes fails the suite, so
/// that no exclusion outlives its reason.
public struct ConformanceExclusion: Sendable {
    /// The ids of the cases.
    public let cases: [String]
    /// Why they do not pass, for those who read the report.
    public let reason: String
    let timeLimit: Duration?
    let isCertain: Bool
    let failsAlone: (@Sendable (_ id: String) async throws -> Bool)?

    /// Excludes cases.
    ///
    /// - Parameters:
    ///   - cases: their ids
    ///   - reason: why they do not pass
    ///   - timeLimit: for cases that never end: the time after which one has failed; nil: the time limit of the run
    ///   - isCertain: false where chance decides: one that passes is no finding then
    ///   - failsAlone: runs a case in a process of its own and says whether it failed as the reason says, for cases that may
    ///     end the process or keep it busy; nil: they are run like all others
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
