@_exported public import TestLandscape
public import Testing

/// Runs each test of a suite with a landscape of its own, which the suite takes from ``Landscape/current``:
///
/// ```swift
/// @Suite(.landscape) struct BasicTests {
///     private let landscape: Landscape
///
///     init() throws { landscape = try .current }
/// ```
public struct LandscapeTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withLandscape { try await Landscape.$ofTest.withValue($0) { try await function() } }
    }
}

extension Trait where Self == LandscapeTrait {
    /// A landscape for each test of the suite, and for each of its arguments.
    public static var landscape: Self { LandscapeTrait() }
}

extension Landscape {
    @TaskLocal fileprivate static var ofTest: Landscape?

    /// The landscape of the running test.
    ///
    /// - Throws: ``NoLandscape`` outside tests of a suite with the trait
    public static var current: Landscape {
        get throws {
            guard let ofTest else { throw NoLandscape() }
            return ofTest
        }
    }

    /// The suite lacks the trait `.landscape`.
    public struct NoLandscape: Error {}
}
