import Foundation
import TestSupport

extension Program {
    /// Runs a program that is killed after `seconds` (status 124).
    static func run(
        _ executable: String, _ arguments: [String], input: [UInt8]? = nil, environment extra: [String: String] = [:],
        seconds: Int
    ) async throws -> Outcome {
        try await run(
            "/usr/bin/timeout", ["-k", "2", String(seconds), executable] + arguments, input: input.map { Data($0) },
            environment: environment.merging(extra) { $1 })
    }

    /// The `httpc` that was built together with these tests.
    static func httpc(_ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        try await run(BuiltProduct.httpc, arguments, input: input, seconds: 40)
    }
}
