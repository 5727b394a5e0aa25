import Foundation
import HttpConversationConformance
import TestSupport
import Testing

@testable import ConformanceRun

/// Runs the suite over each transport.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TransportTests {
    @Test(arguments: SuiteTransport.inOneProcess) func conforms(_ transport: SuiteTransport) async throws {
        let report = try await transport.run()
        print(report)
        let cases = TransportConformance.cases.filter { $0.wires.contains(transport.wire) }
        #expect(report.passed.count + report.excluded.count + report.notRun.count == cases.count)
        if [.nio, .nioHTTP2].contains(transport) { #expect(report.passed.count == cases.count) }
    }

    /// In a separate process, because a server may end the client's process (Linux).
    @Test func urlSessionConforms() async throws {
        let directory = try TemporaryPlace.folder("conformance")
        defer { try? FileManager.default.removeItem(at: directory) }
        let output = directory.appending(path: "report").path(percentEncoded: false)
        let run = try ChildProcess(
            BuiltProduct.conformanceRun, [SuiteTransport.urlSession.rawValue],
            environment: ProcessInfo.processInfo.environment, output: .file(output), errors: .file(output))
        let status = await run.status
        let report = try String(contentsOfFile: output, encoding: .utf8)
        print(report)
        #expect(status == 0, "\(report)")
        #expect(report.contains("cases passed"))
    }

    @Test func casesAreManyAndToldApart() {
        let cases = TransportConformance.cases
        #expect(cases.count > 400)
        #expect(Set(cases.map(\.id)).count == cases.count)
        #expect(cases.allSatisfy { $0.id.hasPrefix($0.group.rawValue + ".") && !$0.title.isEmpty && !$0.wires.isEmpty })
        #expect(Set(cases.map(\.group)) == Set(ConformanceGroup.allCases))
    }
}
