/// A case that a transport failed.
public struct ConformanceFinding: Hashable, Sendable, CustomStringConvertible {
    /// The id of the case.
    public let caseID: String
    /// The title of the case.
    public let title: String
    /// The expectation.
    public let expected: String
    /// The observed behaviour.
    public let happened: String

    public var description: String {
        "\(caseID) (\(title))\n    expected: \(expected)\n    happened: \(happened)"
    }
}
