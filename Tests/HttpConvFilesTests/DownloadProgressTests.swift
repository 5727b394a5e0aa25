import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadProgressTests {
    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    @Test(arguments: [
        (ScriptedTransport.Answer(.ok, body: "hello"), ["5/5"]),
        (.init(.ok, chunks: [[1, 2], [3]]), ["2/?", "3/?"]),
        // An error page is not written to the file.
        (.init(.notFound, body: "no"), []),
        (.init(.ok), []),
        (.init(.ok, body: "hello").failing(after: 3), ["3/5"]),
        (.failure(ConversationError(.connectionFailed, "nobody there")), []),
    ])
    func whatHasArrivedAndOfHowMuch(answer: ScriptedTransport.Answer, reports: [String]) async {
        _ = await bench.download(answer, to: OutputFile(bench.url("out")))
        #expect(bench.progress.withLock { $0 } == reports)
    }

    @Test func aFileIsOneCall() async throws {
        let manager = bench.manager(.init(.ok, body: "hello"))
        let response = try await manager.download(
            for: HTTPRequest(.get, "https://example.com/"), to: bench.url("out"),
            progress: { [bench] progress in bench.progress.withLock { $0.append("\(progress.received)") } })
        #expect(response.status == .ok && response.bytes.isEmpty)
        #expect(try bench.text("out") == "hello")
        #expect(bench.progress.withLock { $0 } == ["5"])
    }

    @Test(arguments: [false, true]) func howFastItComes(toFile: Bool) async throws {
        var configuration = HttpConversationManager.Configuration()
        configuration.clock = bench.clock
        let pieces = [[UInt8](repeating: 1, count: 1000), [UInt8](repeating: 2, count: 3000)]
        let transport = ScriptedTransport(clock: bench.clock) { _, _ in .init(.ok, chunks: pieces).pausing(.seconds(2))
        }
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let sink: any ResponseBodySink = toFile ? OutputFile(bench.url("out")) : ClosureSink { _ in }
        let seen = Mutex<[DownloadProgress]>([])
        async let response = manager.download(
            for: HTTPRequest(.get, "https://example.com/"), to: sink,
            progress: { news in seen.withLock { $0.append(news) } })
        for _ in pieces {
            await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(2))
        }
        #expect(try await response.status == .ok)
        #expect(seen.withLock { $0.map(\.received) } == [1000, 4000])
        #expect(seen.withLock { $0.map(\.rate) } == [nil, 1500])
    }

    @Test func whatIsCutLeavesTheOldFileAndItsError() async throws {
        let file = try bench.make("out", "old")
        #expect(await bench.download(.init(.ok, body: "hello").failing(after: 3), to: OutputFile(file)) == .bodyCut)
        #expect(bench.names == ["out"])
        #expect(try bench.text("out") == "old")
    }
}
