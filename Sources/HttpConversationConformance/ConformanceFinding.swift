/// What a transport did that it should not have done.
public struct ConformanceFinding: Hashable, Sendable, CustomStringConvertible {
    /// The id of the case.
    public let caseID: String
    /// What the case is about.
    public let title: String
    /// What should have happened.
    public let expected: String
    /// What did.
    public let happened: String

    public var description: String {
        "\(caseID) (\(title))\n    expected: \(expected)\n    happened: \(happened)"
    }
}
