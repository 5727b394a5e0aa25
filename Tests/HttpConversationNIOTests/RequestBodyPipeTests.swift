import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// The limit on how far a body's source may be ahead of its connection.
@Suite(.timeLimit(.minutes(1))) struct RequestBodyPipeTests {
    private let half = RequestBodyBytes.array([UInt8](repeating: 7, count: RequestBodyPipe.window / 2))

    @Test func announcesOnceUntilAllIsTaken() async {
        let announced = Counter()
        let pipe = RequestBodyPipe { announced.add() }
        #expect(await pipe.send(.array([1])))
        #expect(await pipe.send(.array([2]), isLast: true))
        #expect(announced.value == 1)
        #expect(pipe.take()?.bytes == .array([1]))
        let last = pipe.take()
        #expect(last?.bytes == .array([2]) && last?.isLast == true)
        #expect(pipe.take() == nil)
        #expect(await pipe.send(.array([3])))
        #expect(announced.value == 2)
    }

    @Test func theWriterWaitsForRoom() async {
        let pipe = RequestBodyPipe {}
        let sent = Counter()
        let writer = Task {
            for _ in 0..<4 {
                guard await pipe.send(half) else { return false }
                sent.add()
            }
            return true
        }
        while pipe.count < 3 * half.count { await Task.yield() }
        #expect(sent.value == 2)
        #expect(pipe.take() != nil)
        #expect(pipe.count == 2 * half.count && sent.value == 2)
        #expect(pipe.take() != nil)
        #expect(await writer.value)
        #expect(sent.value == 4)
    }

    @Test func closingEndsTheWait() async {
        let pipe = RequestBodyPipe {}
        let writer = Task {
            while await pipe.send(half) {}
        }
        while pipe.count < 3 * half.count { await Task.yield() }
        pipe.close()
        await writer.value
        #expect(pipe.take() == nil)
        #expect(await pipe.send(.array([1])) == false)
    }
}
