import HttpConversationConformance
import NIOCore
import Testing

@testable import HttpConversationNIO

/// The limit on how far a body's source may be ahead of its connection.
@Suite(.timeLimit(.minutes(1))) struct RequestBodyPipeTests {
    private let window = RequestBodyWindow()
    /// Half of what a pipe holds: an array, and memory that a file was read into.
    private static let halves: [RequestBodyBytes] = [
        .array(ArraySlice(repeating: 7, count: RequestBodyWindow.largest / 2)),
        .buffer(ByteBuffer(repeating: 7, count: RequestBodyWindow.largestForFiles / 2)),
    ]

    @Test func announcesOnceUntilAllIsTaken() async {
        let announced = Counter()
        let pipe = RequestBodyPipe { announced.add() }
        #expect(await pipe.send(.array([1])))
        pipe.end(with: .array([2]))
        #expect(announced.value == 1)
        #expect(pipe.take() == ([.array([1]), .array([2])], true))
        #expect(await pipe.send(.array([3])))
        #expect(announced.value == 1)
        #expect(pipe.take() == ([.array([3])], false))
        #expect(pipe.take() == ([], false))
        #expect(await pipe.send(.array([4])))
        #expect(announced.value == 2)
    }

    @Test func theEndNeedsNoPiece() {
        let announced = Counter()
        let pipe = RequestBodyPipe { announced.add() }
        pipe.end()
        #expect(announced.value == 1)
        #expect(pipe.take() == ([], true))
        #expect(pipe.take() == ([], false))
    }

    @Test(arguments: halves) func theWriterWaitsForRoom(for half: RequestBodyBytes) async {
        let pipe = RequestBodyPipe(window: window) {}
        let sent = Counter()
        let writer = Task {
            for _ in 0..<5 {
                guard await pipe.send(half) else { return false }
                sent.add()
            }
            return true
        }
        while pipe.count < 3 * half.count { await Task.yield() }
        #expect(sent.value == 2)
        #expect(pipe.take().pieces.count == 3)
        #expect(await writer.value)
        #expect(sent.value == 5)
    }

    @Test func manyPipesHoldLess() {
        let pipes = (0..<1000).map { _ in RequestBodyPipe(window: window) {} }
        #expect(withExtendedLifetime(pipes) { window.size() } == RequestBodyWindow.smallest)
    }

    @Test func pipesThatEndedLeaveTheirRoomToOthers() {
        for _ in 0..<1000 { _ = RequestBodyPipe(window: window) {} }
        #expect(window.size() == RequestBodyWindow.largest)
    }

    @Test func closingEndsTheWait() async {
        let half = Self.halves[0]
        let pipe = RequestBodyPipe(window: window) {}
        let writer = Task {
            while await pipe.send(half) {}
        }
        while pipe.count < 3 * half.count { await Task.yield() }
        pipe.close()
        await writer.value
        #expect(pipe.take() == ([], false))
        #expect(await pipe.send(.array([1])) == false)
    }
}
