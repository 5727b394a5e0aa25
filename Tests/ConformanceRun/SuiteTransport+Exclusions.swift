import Foundation
import HttpConversationConformance
import TestSupport

extension SuiteTransport {
    /// The cases that a transport is known to fail, and the reasons.
    var exclusions: [ConformanceExclusion] {
        switch self {
        case .nio, .nioHTTP2, .scripted: []
        case .urlSession: exclusionsOfURLSession
        }
    }

    /// Whether a case ends its process. The case runs in a process of its own.
    @Sendable func endsItsProcess(_ id: String) async throws -> Bool {
        // The signal of `fatalError` depends on the architecture.
        try await [128 + SIGILL, 128 + SIGTRAP].contains(statusAlone(of: id))
    }

    /// Whether a case fails. It runs in a process of its own, which ends everything that the case leaves running.
    @Sendable func failsAlone(_ id: String) async throws -> Bool { try await statusAlone(of: id) == 1 }

    private func statusAlone(of id: String) async throws -> Int32 {
        let directory = try TemporaryPlace.folder("conformance")
        defer { try? FileManager.default.removeItem(at: directory) }
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = directory.path(percentEncoded: false)
        environment["CONFORMANCE_TIME_LIMIT"] = "4"
        // A backtrace of a known crash would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try await ChildProcess(
            BuiltProduct.conformanceRun, [rawValue, "--alone", id], environment: environment
        ).status
    }
}
