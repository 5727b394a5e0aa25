import HttpConversationConformance
import Testing

@testable import ConformanceRun

/// The suite over each transport.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TransportTests {
    @Test(arguments: SuiteTransport.conforming) func conforms(_ transport: SuiteTransport) async throws {
        let report = try await transport.run()
        print(report)
        let cases = TransportConformance.cases.filter { $0.wires.contains(transport.wire) }
        #expect(report.passed.count + report.excluded.count + report.notRun.count == cases.count)
        if [.nio, .nioHTTP2].contains(transport) { #expect(report.passed.count == cases.count) }
    }

    @Test func casesAreManyAndToldApart() {
        let cases = TransportConformance.cases
        #expect(cases.count >= 150)
        #expect(Set(cases.map(\.id)).count == cases.count)
        #expect(cases.allSatisfy { $0.id.hasPrefix($0.group.rawValue + ".") && !$0.title.isEmpty && !$0.wires.isEmpty })
        #expect(Set(cases.map(\.group)) == Set(ConformanceGroup.allCases))
    }
}
