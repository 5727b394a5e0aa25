import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import Testing

@testable import ConformanceRun

/// Every case can fail, and every mistake is found.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ConformanceSelfTests {
    /// A transport without a network: always returns the same response, or throws the same error.
    struct Stub: HTTPTransport {
        let answer: Result<[UInt8], ConversationError>
        let capabilities: TransportCapabilities = [
            .streamingRequests, .streamingResponses, .clientCertificates, .serverTrust, .proxies, .hostField, .upgrades,
            .connectionOwners,
        ]

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(bytes: try answer.get()))
        }

        func shutdown() async {}
    }

    private static func failed(
        over wire: ConformanceWire, only ids: Set<String>? = nil, limit: Duration = .milliseconds(500),
        _ make: @escaping @Sendable (ConformanceSetup) -> any HTTPTransport
    ) async -> Set<String> {
        do throws(ConformanceError) {
            _ = try await TransportConformance.run(
                over: wire, only: ids, inParallel: 64, timeLimit: limit, makeTransport: make)
            return []
        } catch { return Set(error.findings.map(\.caseID)) }
    }

    @Test(arguments: ConformanceWire.allCases) func everyCaseCanFail(wire: ConformanceWire) async {
        let cases = Set(TransportConformance.cases.filter { $0.wires.contains(wire) }.map(\.id))
        let silent = await Self.failed(over: wire) { _ in Stub(answer: .success([])) }
        let refusing = await Self.failed(over: wire) { _ in
            Stub(answer: .failure(ConversationError(.internalInconsistency, "It refuses.")))
        }
        #expect(cases.subtracting(silent).subtracting(refusing) == [])
    }

    /// The cases that must find each mistake.
    static let finders: [(WrongTransport.Mistake, [String])] = [
        (.dropsTheLastChunk, ["bodies.pieces"]), (.addsAByte, ["bodies.byte"]), (.endsQuietly, ["framing.a-cut-body"]),
        (.followsRedirects, ["contract.redirect-302"]), (.answersFromACache, ["contract.no-cache"]),
        (.answersChallenges, ["contract.unauthorized"]), (.ignoresCancellation, ["cancellation.waiting-for-the-head"]),
        (.mergesSetCookie, ["contract.cookies-stay-apart"]), (.keepsCookies, ["contract.cookies-are-not-kept"]),
        (.sendsAnotherMethod, ["requests.method-put"]), (.sendsAnotherPath, ["requests.target"]),
        (.dropsTheQuery, ["requests.target"]), (.buffersBodies, ["bodies.streams"]),
        (.ignoresIdleTimeouts, ["timeouts.in-the-body"]), (.ignoresTimeLimits, ["timeouts.whole-exchange"]),
        (.repeatsServerErrors, ["contract.nothing-is-repeated"]), (.forgetsFields, ["requests.fields"]),
        (.dropsTheBody, ["uploads.bytes"]), (.readsOneShotTwice, ["uploads.one-shot"]),
        (.neverShutsDown, ["connecting.shut-down"]), (.asksForNoCoding, ["requests.accept-encoding"]),
        (.keepsTheCoding, ["coding.gzip"]), (.ignoresTheProxy, ["proxies.never-around"]),
        (.trustsAnybody, ["tls.nothing-is-sent", "tls.expired"]), (.saysCancelled, ["heads.garbage"]),
        (.losesProgress, ["uploads.progress-of-bytes"]), (.changesTheStatus, ["contract.status-206"]),
        (.connectsAnew, ["reuse.one-connection"]), (.sharesAnswers, ["contract.not-modified"]),
        (.hidesTheSourcesError, ["uploads.source-that-fails"]),
    ]

    @Test func everyMistakeIsFound() async {
        #expect(Set(Self.finders.map(\.0)) == Set(WrongTransport.Mistake.allCases))
        await withTaskGroup(of: Void.self) { group in
            for (mistake, finders) in Self.finders {
                group.addTask {
                    let found = await Self.failed(over: .http1, only: Set(finders), limit: .seconds(4)) {
                        WrongTransport(mistake, $0)
                    }
                    #expect(found == Set(finders), "\(mistake)")
                }
            }
        }
    }

    // MARK: Reports

    @Test func findingNamesExpectationAndResult() async throws {
        let error = await #expect(throws: ConformanceError.self) {
            try await TransportConformance.run("wrong", only: ["contract.status-206", "contract.status-404"]) {
                WrongTransport(.changesTheStatus, $0)
            }
        }
        let finding = try #require(error?.findings.first)
        #expect(finding.caseID == "contract.status-206")
        #expect(finding.expected == "the status: 206")
        #expect(finding.happened == "200")
        #expect(error?.report.passed == ["contract.status-404"])
        #expect(error?.description.contains("contract.status-206") == true)
    }

    @Test func anExclusionThatPassesIsAFinding() async throws {
        let error = await #expect(throws: ConformanceError.self) {
            try await TransportConformance.run(
                excluding: [.init("contract.status-206", because: "it is not known")], only: ["contract.status-206"],
                makeTransport: SuiteTransport.nio.make)
        }
        #expect(error?.findings.first?.happened.contains("it passes") == true)
    }

    @Test func anExclusionIsRunAndReported() async throws {
        let report = try await TransportConformance.run(
            excluding: [.init("contract.status-206", because: "it changes the status")],
            only: ["contract.status-206", "contract.status-404"]
        ) { WrongTransport(.changesTheStatus, $0) }
        #expect(report.passed == ["contract.status-404"])
        #expect(report.excluded.map(\.reason) == ["it changes the status"])
        #expect(report.description.contains("excluded: contract.status-206: it changes the status"))
    }

    @Test(arguments: [true, false]) func anExclusionMayRunAlone(fails: Bool) async throws {
        func run() async throws -> ConformanceReport {
            try await TransportConformance.run(
                excluding: [.init("contract.status-206", because: "it ends its process") { _ in fails }],
                only: ["contract.status-206"], makeTransport: SuiteTransport.nio.make)
        }
        if fails { _ = try await run() } else { await #expect(throws: ConformanceError.self) { try await run() } }
    }

    @Test(arguments: [true, false]) func uncertainExclusionMayPass(passes: Bool) async throws {
        let report = try await TransportConformance.run(
            excluding: [.init("contract.status-206", because: "chance", isCertain: false)],
            only: ["contract.status-206"]
        ) { setup -> any HTTPTransport in
            if passes { return try SuiteTransport.nio.make(setup) }
            return WrongTransport(.changesTheStatus, setup)
        }
        #expect(report.excluded.map(\.reason) == ["chance"] && report.passed.isEmpty)
    }

    @Test func anExclusionThatNeverEndsHasATimeOfItsOwn() async throws {
        let start = ContinuousClock.now
        _ = try await TransportConformance.run(
            excluding: [.init("timeouts.in-the-body", because: "it waits", within: .milliseconds(100))],
            only: ["timeouts.in-the-body"], timeLimit: .seconds(60)
        ) { WrongTransport(.ignoresIdleTimeouts, $0) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func anExclusionOfNothingIsAFinding() async throws {
        let error = await #expect(throws: ConformanceError.self) {
            try await TransportConformance.run(
                over: .inProcess, excluding: [.init("contract.typo", because: "it is not there")],
                makeTransport: SuiteTransport.scripted.make)
        }
        #expect(error?.findings.map(\.caseID) == ["contract.typo"])
    }

    @Test func anIDWithoutACaseIsAFinding() async throws {
        let http2 = try #require(TransportConformance.cases.first { $0.wires == [.http2] }).id
        for (ids, missing, passed) in [
            (["contract.typo", "contract.status-404"], ["contract.typo"], ["contract.status-404"]),
            ([http2], [http2], []),
        ] {
            let error = await #expect(throws: ConformanceError.self) {
                try await TransportConformance.run(only: Set(ids), makeTransport: SuiteTransport.nio.make)
            }
            #expect(error?.findings.map(\.caseID) == missing)
            #expect(error?.report.passed == passed)
        }
    }

    @Test func casesBeyondCapabilitiesAreNotRun() async throws {
        struct Poor: HTTPTransport {
            let transport: any HTTPTransport
            let capabilities: TransportCapabilities = []
            func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
                try await transport.send(request)
            }
            func shutdown() async { await transport.shutdown() }
        }
        let report = try await TransportConformance.run(only: ["proxies.tunnel", "contract.status-404"]) {
            Poor(transport: try SuiteTransport.nio.make($0))
        }
        #expect(report.passed == ["contract.status-404"])
        #expect(report.notRun.map(\.reason) == ["needs proxies"])
    }
}
