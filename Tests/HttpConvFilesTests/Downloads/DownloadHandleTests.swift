import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvFiles
@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct DownloadHandleTests {
    private let bench: ResumeBench

    init() throws { bench = try ResumeBench() }

    enum Way: CaseIterable { case handle, id }

    /// The transfer stops, and the existing bytes stay.
    @Test(arguments: Way.allCases) func cancellingYieldsTheToken(way: Way) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { $0.pause = .seconds(1) }
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        await bench.server.clock.waitForSleepers()
        let left: DownloadToken? =
            switch way {
            case .handle: await download.cancel()
            case .id: await bench.manager.cancelDownload(download.id)
            }
        #expect(left == token)
        #expect(await download.result.code == .cancelled)
        #expect(await bench.manager.cancelDownload(download.id) == nil)
        bench.server.change { $0.pause = nil }
        #expect(try await bench.resume(token).resumedAt == 40_000)
        #expect(try bench.written() == ResumeBench.bytes)
    }

    #if os(Linux)
    /// A program that is being started has copies of all descriptors until it runs, and so of the lock.
    @Test func aCopyOfTheDescriptorKeepsNoLock() async throws {
        bench.server.change {
            $0.cuts = [40_000]
            $0.pause = .seconds(1)
        }
        let first = try bench.manager.startDownload(bench.request(), to: bench.out)
        await bench.server.clock.waitForSleepers()
        bench.server.change { $0.pause = nil }
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        while copies.isEmpty, !Task.isCancelled {
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                if place?.hasPrefix(bench.files.directory.path) == true, let number = Int32(name) {
                    copies.append(dup(number))
                }
            }
            await Task.yield()
        }
        bench.server.clock.advance(by: .seconds(1))
        let token = try #require(await first.token)
        #expect(try await bench.resume(token).resumedAt == 40_000)
    }
    #endif

    /// Two downloads into one file would mix their bytes.
    @Test func onlyOneGoesOn() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { $0.pause = .seconds(1) }
        let first = try bench.manager.startDownload(bench.request(), resuming: token)
        await bench.server.clock.waitForSleepers()
        let second = try bench.manager.startDownload(bench.request(), resuming: token)
        #expect(await second.result.code == .notResumable)
        bench.server.clock.advance(by: .seconds(1))
        #expect(try await first.value.resumedAt == 40_000)
        #expect(try bench.written() == ResumeBench.bytes)
    }

    /// A download that began at the same time found nothing to resume from either.
    @Test func aSecondOneDoesNotBegin() async throws {
        bench.server.change { $0.pause = .seconds(1) }
        let first = try bench.manager.startDownload(bench.request(), to: bench.out)
        await bench.server.clock.waitForSleepers()
        while !bench.files.names.contains(where: { $0.hasSuffix(".resume") }), !Task.isCancelled { await Task.yield() }
        bench.server.change { $0.pause = nil }
        let second = try bench.manager.startDownload(bench.request(), to: bench.out)
        #expect(await second.result.code == .notResumable)
        bench.server.clock.advance(by: .seconds(1))
        _ = try await first.value
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(bench.files.names == ["out"])
    }

    @Test(arguments: [true, false]) func aTargetThatIsReplacedMeanwhileStays(exists: Bool) async throws {
        if exists { _ = try bench.files.make("out", "old") }
        bench.server.change { $0.pause = .seconds(1) }
        let download = try bench.manager.startDownload(bench.request(), to: bench.out)
        await bench.server.clock.waitForSleepers()
        try? FileManager.default.removeItem(at: bench.out)
        _ = try bench.files.make("out", "somebody else's")
        bench.server.clock.advance(by: .seconds(1))
        #expect(await download.result.code == .outputFailed)
        #expect(try bench.files.text("out") == "somebody else's")
        // All bytes that arrived are kept.
        #expect(await download.token?.length == ResumeBench.bytes.count)
    }

    @Test func aFolderThatVanishes() async throws {
        let folder = bench.files.url("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        bench.server.change { $0.pause = .seconds(1) }
        let download = try bench.manager.startDownload(bench.request(), to: folder.appending(path: "out"))
        await bench.server.clock.waitForSleepers()
        try FileManager.default.removeItem(at: folder)
        bench.server.clock.advance(by: .seconds(1))
        #expect(await download.result.code == .outputFailed)
        #expect(await download.token == nil)
        #expect(bench.files.names.isEmpty)
    }

    /// The process's limit on file sizes stands for a full disk; the bytes that fit are kept.
    @Test func aDiskThatIsFull() async throws {
        let folder = bench.files.directory.path
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            try FileSizeLimit.set(50_000)
            let server = RangeServer([UInt8](repeating: 7, count: 100_000))
            let manager = HttpConversationManager(transport: server.transport)
            let file = URL(filePath: folder).appending(path: "out")
            let download = try manager.startDownload(HTTPRequest(.get, "https://example.com/"), to: file)
            #expect(await download.result.code == .outputFailed)
            #expect(await download.token?.length == 50_000)
        }
        let found = try #require(try await DownloadToken.find(for: bench.out))
        #expect(found.length == 50_000)
    }

    @Test func aDeviceIsWrittenInPlace() async throws {
        let full = try bench.manager.startDownload(bench.request(), to: URL(filePath: "/dev/full"))
        #expect(await full.result.code == .outputFailed)
        let null = try bench.manager.startDownload(bench.request(), to: URL(filePath: "/dev/null"))
        #expect(await null.result.code == nil)
        #expect(await null.token == nil)
    }

    @Test func howFastAndHowLong() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { $0.pause = .seconds(2) }
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        await bench.server.clock.waitForSleepers()
        bench.server.clock.advance(by: .seconds(2))
        _ = try await download.value
        var seen: [DownloadProgress] = []
        for await progress in download.progress { seen.append(progress) }
        #expect(seen.map(\.received) == [100_000] && seen.map(\.total) == [100_000])
    }

    @Test func theMeterForgets() {
        var meter = TransferMeter()
        #expect(meter.rate(at: .zero, 0) == nil)
        #expect(meter.rate(at: .seconds(1), 1000) == 1000)
        #expect(meter.rate(at: .seconds(2), 2000) == 1000)
        // After ten seconds without a byte, the rate goes down.
        #expect(meter.rate(at: .seconds(12), 2000).map { $0 < 1000 } == true)
        #expect(meter.rate(at: .seconds(13), 2000) == 0)
        let progress = DownloadProgress(received: 500, total: 2500, rate: 1000)
        #expect(progress.timeLeft == .seconds(2))
        #expect(DownloadProgress(received: 500, total: nil, rate: 1000).timeLeft == nil)
        #expect(DownloadProgress(received: 500, total: 900, rate: 0).timeLeft == nil)
    }

    @Test(
        arguments: [
            ("bytes 0-9/10", .part(first: 0, last: 9, total: 10)),
            ("bytes 0-9/*", .part(first: 0, last: 9, total: nil)),
            ("Bytes 5-5/6", .part(first: 5, last: 5, total: 6)), ("bytes */10", .unsatisfied(total: 10)),
            ("bytes */*", nil), ("bytes 9-0/10", nil), ("bytes 0-10/10", nil), ("bytes 0-9", nil), ("bytes -9/10", nil),
            ("bytes 0-9/+10", nil), ("bytes 0-9/10/11", nil), ("0-9/10", nil), ("bytes 0-99999999999999999999/*", nil),
            ("", nil),
        ] as [(String, ContentRange?)]) func contentRanges(text: String, range: ContentRange?)
    {
        #expect(ContentRange(text) == range)
    }
}
