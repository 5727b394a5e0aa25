import Foundation
import TestSupport

/// The system's curl, as an independent client.
struct Curl {
    let exitCode: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// The output as a JSON object.
    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
    }

    /// Runs `curl -q -sS --max-time 20 ARGUMENTS`, without proxies and configuration files.
    static func run(_ arguments: [String], input: URL? = nil) async throws -> Curl {
        let outcome = try await Program.run(
            "/usr/bin/curl", ["-q", "-sS", "--max-time", "20"] + arguments,
            input: try input.map { try Data(contentsOf: $0) })
        return Curl(exitCode: outcome.status, output: outcome.output, errors: outcome.errors)
    }

    static func run(_ arguments: String..., input: URL? = nil) async throws -> Curl {
        try await run(arguments, input: input)
    }

    /// The status of the last response.
    static func status(_ arguments: String...) async throws -> Int {
        Int(try await run(["-o", "/dev/null", "-w", "%{http_code}"] + arguments).text) ?? -1
    }
}
