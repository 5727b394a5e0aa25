import Foundation
import HttpConversationConformance
import TestSupport

extension SuiteTransport {
    /// What is known not to pass, and why.
    var exclusions: [ConformanceExclusion] {
        switch self {
        case .nio, .nioHTTP2, .scripted: []
        case .urlSession: exclusionsOfURLSession
        }
    }

    /// Whether a case ends its process, which it is run in alone.
    @Sendable func endsItsProcess(_ id: String) async throws -> Bool {
        // fatalError, of one architecture and of another.
        try await [128 + SIGILL, 128 + SIGTRAP].contains(statusAlone(of: id))
    }

    /// Whether a case fails, in a process of its own that takes with it what goes on afterwards.
    @Sendable func failsAlone(_ id: String) async throws -> Bool { try await statusAlone(of: id) == 1 }

    private func statusAlone(of id: String) async throws -> Int32 {
        let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = directory.path(percentEncoded: false)
        environment["CONFORMANCE_TIME_LIMIT"] = "4"
        // A trace of what is known takes seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try await ChildProcess(
            BuiltProduct.conformanceRun, [rawValue, "--alone", id], environment: environment
        ).status
    }
}
