import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvFiles

/// The state of a file before it is complete (security rule S22).
@Suite(.timeLimit(.minutes(1))) struct PartialFileTests {
    private let bench: DownloadBench
    private static let halves = ScriptedTransport.Answer(.ok, chunks: [Array("new ".utf8), Array("text".utf8)])
        .pausing(DownloadBench.second)

    init() throws { bench = try DownloadBench() }

    @Test(arguments: [true, false]) func nobodyElseReadsItUntilItIsComplete(replaces: Bool) async throws {
        if replaces { _ = try bench.make("out", "old") }
        _ = try bench.make("any", "", mode: 0o600)
        let download = Task { await bench.download(Self.halves, to: OutputFile(bench.url("out"))) }
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: DownloadBench.second)
        await bench.clock.waitForSleepers()
        let partial = try #require(bench.names.first { $0.hasPrefix("out.") })
        #expect(bench.names.count == (replaces ? 3 : 2))
        #expect(try bench.mode(partial) == 0o600)
        #expect(try bench.text(partial) == "new ")
        if replaces { #expect(try bench.text("out") == "old") }
        bench.clock.advance(by: DownloadBench.second)
        #expect(await download.value == nil)
        #expect(bench.names == ["any", "out"])
        #expect(try bench.text("out") == "new text")
        if replaces { #expect(try bench.mode("out") == 0o640) }
    }

    /// A file that another process created meanwhile stays, whether there was one before or not.
    @Test(arguments: [true, false]) func aTargetThatIsReplacedMeanwhileStays(exists: Bool) async throws {
        if exists { _ = try bench.make("out", "old") }
        let download = Task { await bench.download(Self.halves, to: OutputFile(bench.url("out"))) }
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: DownloadBench.second)
        await bench.clock.waitForSleepers()
        try? FileManager.default.removeItem(at: bench.url("out"))
        _ = try bench.make("out", "somebody else's")
        bench.clock.advance(by: DownloadBench.second)
        #expect(await download.value == .outputFailed)
        #expect(bench.names == ["out"])
        #expect(try bench.text("out") == "somebody else's")
    }

    @Test func cancellingRemovesIt() async throws {
        let file = try bench.make("out", "old")
        let download = Task { await bench.download(Self.halves, to: OutputFile(file)) }
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: DownloadBench.second)
        await bench.clock.waitForSleepers()
        #expect(bench.names.count == 2)
        download.cancel()
        #expect(await download.value == .cancelled)
        #expect(bench.names == ["out"])
        #expect(try bench.text("out") == "old")
    }

    @Test func aWriterThatIsForgottenLeavesNothing() async throws {
        let file = bench.url("out")
        do {
            let writer = try await OutputFile(file).open()
            try await writer.write([1])
            #expect(bench.names.count == 1)
        }
        // The thread that wrote releases it a moment later.
        while !bench.names.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(arguments: ["link", "file"]) func whatHasItsNameStaysAsItIs(kind: String) async throws {
        let victim = try bench.make("victim", "mine")
        let taken = bench.url("out.taken")
        if kind == "link" {
            try FileManager.default.createSymbolicLink(at: taken, withDestinationURL: victim)
        } else {
            _ = try bench.make("out.taken", "mine")
        }
        let calls = Atomic(0)
        let out = OutputFile(path: bench.url("out").path(percentEncoded: false)) {
            let call = calls.add(1, ordering: .relaxed).newValue
            return call % 2 == 1 ? "taken" : "free\(call)"
        }
        #expect(await bench.download(.init(.ok, body: "new"), to: out) == nil)
        #expect(calls.load(ordering: .relaxed) == 4)
        #expect(bench.names == ["out", "out.taken", "victim"])
        #expect(try bench.text("victim") == "mine")
        #expect(try bench.text("out.taken") == "mine")
        #expect(try bench.text("out") == "new")
    }

    /// A directory takes the place while the body arrives.
    @Test func whatCannotBeCompletedIsRemoved() async throws {
        let download = Task { await bench.download(Self.halves, to: OutputFile(bench.url("out"))) }
        await bench.clock.waitForSleepers()
        try FileManager.default.createDirectory(at: bench.url("out"), withIntermediateDirectories: false)
        bench.clock.advance(by: DownloadBench.second)
        await bench.clock.waitForSleepers()
        bench.clock.advance(by: DownloadBench.second)
        #expect(await download.value == .outputFailed)
        #expect(bench.names == ["out"])
    }
}
