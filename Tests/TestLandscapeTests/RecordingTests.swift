import Foundation
import Testing

@testable import TestLandscape

@Suite(.timeLimit(.minutes(1))) struct RecordingTests {
    @Test func keepsOnlyTheMostRecent() async throws {
        var configuration = LandscapeConfiguration()
        configuration.recordingCapacity = 3
        try await withLandscape(configuration) { landscape async throws in
            for path in ["/json", "/echo", "/status/201", "/json", "/status/202"] {
                _ = try await Curl.run(landscape.urlString(.other, path))
            }
            #expect(landscape.requests().map(\.path) == ["/status/201", "/json", "/status/202"])
            #expect(landscape.requests().map(\.status) == [201, 200, 202])
            #expect(landscape.requests(origin: .main).isEmpty)
            #expect(landscape.count(path: "/json") == 2)
            #expect(landscape.counters.requests == 5)
            landscape.reset()
            #expect(landscape.requests().isEmpty)
            #expect(landscape.counters.requests == 0)
            _ = try await Curl.run(landscape.urlString(.other, "/json"))
            #expect(landscape.requests().map(\.path) == ["/json"])
        }
    }

    @Test func recordsNothingWhenSwitchedOff() async throws {
        try await withLandscape { landscape async throws in
            landscape.recordsRequests = false
            #expect(try await Curl.run(landscape.urlString(.main, "/echo?x")).json()["target"] as? String == "/echo?x")
            #expect(landscape.requests().isEmpty)
            #expect(landscape.counters.requests == 1)
        }
    }

    @Test func waitsForRequests() async throws {
        try await withLandscape { landscape async throws in
            async let waiting: Void = landscape.waitFor(count: 2, path: "/json")
            _ = try await Curl.run(landscape.urlString(.main, "/json"), landscape.urlString(.main, "/json?x"))
            try await waiting
            let task = Task { try await landscape.waitFor(count: 3, path: "/json") }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let stopped = Task { try await landscape.waitFor(count: 4, path: "/json") }
            await landscape.stop()
            await #expect(throws: LandscapeError.self) { try await stopped.value }
        }
    }

    @Test func refusesAPortInUse() async throws {
        try await withLandscape { landscape async throws in
            var configuration = LandscapeConfiguration()
            configuration.basePort = landscape.port(.main)
            let error = await #expect(throws: LandscapeError.self) { _ = try await Landscape.start(configuration) }
            #expect(error?.code == .bindFailed)
        }
    }

    // Dates made by `date -u -d @N`.
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func formatsDates(second: Int, text: String) {
        #expect(HTTPDateCache.format(second) == text)
    }
}
