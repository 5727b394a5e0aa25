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

    /// Runs a case in a process of its own, and says whether it passed.
    @Sendable func passesAlone(_ id: String) async throws -> Bool {
        let child = try ChildProcess(
            BuiltProduct.conformanceRun, [rawValue, "--alone", id], environment: ProcessInfo.processInfo.environment)
        return await child.status == 0
    }
}
