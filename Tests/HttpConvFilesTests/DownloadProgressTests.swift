import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadProgressTests {
    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    @Test(arguments: [
        (ScriptedTransport.Answer(.ok, body: "hello"), ["5/5"]),
        (.init(.ok, chunks: [[1, 2], [3]]), ["2/?", "3/?"]),
        (.init(.notFound, body: "no"), ["2/2"]),
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
            progress: { [bench] received, _ in bench.progress.withLock { $0.append("\(received)") } })
        #expect(response.status == .ok && response.bytes.isEmpty)
        #expect(try bench.text("out") == "hello")
        #expect(bench.progress.withLock { $0 } == ["5"])
    }

    @Test func whatIsCutLeavesTheOldFileAndItsError() async throws {
        let file = try bench.make("out", "old")
        #expect(await bench.download(.init(.ok, body: "hello").failing(after: 3), to: OutputFile(file)) == .bodyCut)
        #expect(bench.names == ["out"])
        #expect(try bench.text("out") == "old")
    }
}
