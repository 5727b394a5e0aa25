import HttpC
import Synchronization
import Testing

@testable import HttpCRelay

@Suite(.timeLimit(.minutes(1))) struct UploadRecordTests {
    /// Chunks of 100 bytes, each of its number.
    private final class Source: Sendable {
        private let next: Mutex<Int>
        private let count: Int

        init(_ count: Int) {
            next = Mutex(0)
            self.count = count
        }

        func chunk() -> [UInt8]? {
            next.withLock { next in
                guard next < count else { return nil }
                defer { next += 1 }
                return Array(repeating: UInt8(truncatingIfNeeded: next), count: 100)
            }
        }
    }

    private static func open(_ body: RequestBody) async throws -> RequestBodyStream {
        try await body.open().stream()
    }

    private static func read(_ stream: RequestBodyStream, _ count: Int = .max) async throws -> [UInt8] {
        var numbers: [UInt8] = []
        while numbers.count < count, let chunk = try await stream.next() { numbers.append(chunk[0]) }
        return numbers
    }

    @Test func theBeginIsSentAgain() async throws {
        let source = Source(8)
        let record = UploadRecord(keeping: 1000) { source.chunk() }
        let body = record.body(length: 800)
        #expect(try await body.open().length == 800 && body.isRestartable)
        let first = try await Self.open(body)
        #expect(try await Self.read(first, 3) == [0, 1, 2])
        let second = try await Self.open(body)
        #expect(try await Self.read(second) == Array(0..<8))
        await #expect(throws: CancellationError.self) { try await first.next() }
        #expect(try await Self.read(try await Self.open(body)) == Array(0..<8))
        #expect(await !record.isLost)
    }

    @Test func beyondTheLimitNothingIsKept() async throws {
        let source = Source(20)
        let record = UploadRecord(keeping: 1000) { source.chunk() }
        let body = record.body(length: nil)
        let stream = try await Self.open(body)
        #expect(try await Self.read(stream, 11).count == 11)
        // Transports send the head after this.
        let error = await #expect(throws: ConversationError.self) { try await body.open() }
        #expect(error?.code == .bodyNotReplayable)
        #expect(await record.isLost)
        #expect(try await Self.read(stream).last == 19)
    }

    @Test func aCutBodyFailsForEveryReader() async throws {
        let record = UploadRecord(keeping: 1000) { throw RequestParts.Cut() }
        let body = record.body(length: 5)
        for _ in 0..<2 {
            let stream = try await Self.open(body)
            await #expect(throws: RequestParts.Cut.self) { try await stream.next() }
        }
    }
}
