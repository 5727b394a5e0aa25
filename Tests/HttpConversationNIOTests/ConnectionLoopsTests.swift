import NIOCore
import NIOPosix
import Testing

@testable import HttpConversationNIO

/// The event loops that connections run on.
@Suite struct ConnectionLoopsTests {
    private func used(_ loops: ConnectionLoops, of count: Int) -> Int {
        Set((0..<3 * count).map { _ in ObjectIdentifier(loops.next(nil)) }).count
    }

    @Test func allLoopsOfAGroupInTurn() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        #expect(used(ConnectionLoops(group), of: 3) == 3)
        try await group.shutdownGracefully()
    }

    @Test func halfOfTheProcessWideOnes() {
        let count = Array(MultiThreadedEventLoopGroup.singleton.makeIterator()).count
        #expect(used(.shared, of: count) == max(1, count / 2))
    }

    @Test func theWantedOneIfItIsAMember() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let foreign = group.next()
        for wanted in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            #expect(ConnectionLoops.shared.next(wanted) === wanted)
        }
        #expect(ConnectionLoops.shared.next(foreign) !== foreign)
        #expect(ConnectionLoops(group).next(foreign) === foreign)
        try await group.shutdownGracefully()
    }
}
