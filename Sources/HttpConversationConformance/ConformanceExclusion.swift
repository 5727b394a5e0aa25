/// Cases that a transport is known not to pass, and why. They are run all the same: one that passes fails the suite, so
/// that no exclusion outlives its reason.
public struct ConformanceExclusion: Sendable {
    /// The ids of the cases.
    public let cases: [String]
    /// Why they do not pass, for those who read the report.
    public let reason: String
    let runsAlone: (@Sendable (_ id: String) async throws -> Bool)?

    /// Excludes cases.
    ///
    /// - Parameters:
    ///   - runsAlone: runs a case in a process of its own and says whether it passed, for cases that may end the process;
    ///     nil: they are run like all others
    public init(
        _ cases: String..., because reason: String, runsAlone: (@Sendable (_ id: String) async throws -> Bool)? = nil
    ) {
        self.cases = cases
        self.reason = reason
        self.runsAlone = runsAlone
    }
}
