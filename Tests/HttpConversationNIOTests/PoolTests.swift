import Dispatch
import HTTPTypes
import HttpConversation
import HttpConversationConformance
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct PoolTests {
    /// Answers every request with its path.
    private static let echo: RawServer.Script = { connection in
        while true {
            let head = try await connection.readHead()
            try await connection.respond(String(head.split(separator: " ")[1]))
        }
    }

    @Test func limitPerOriginHoldsAndAllAreServed() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 3 }
        try await RawServer.run(script: Self.echo) { server in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask { try await transport.text(.get, "\(server.url)/\(number)") == "/\(number)" }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.connectionCount <= 3)
        }
    }

    /// A service may have a pool for each of its users at one server.
    @Test func keysOfManyUsersDifferInTheirHashes() throws {
        let origin = try TargetURL("https://example.com").origin
        let keys = (0..<1000).map { _ in
            var key = PoolKey(origin: origin)
            key.owner = ConnectionOwner()
            return key
        }
        #expect(Set(keys.map(\.hashValue)).count > 990)
    }

    @Test(arguments: [(1024, 768), (nil, 1024), (20, 15), (1, 1), (0, 1), (Int.max, 1024)])
    func someDescriptorsAreLeftToTheApplication(allowed: Int?, limit: Int) {
        #expect(FileDescriptors.limit(ofConnections: 1024, allowed: allowed) == limit)
    }

    @Test func waitersAreServedInOrder() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let order = Mutex<[String]>([])
        let arrived = Gate()
        let gate = Gate()
        try await RawServer.run { connection in
            while true {
                let path = String(try await connection.readHead().split(separator: " ")[1])
                order.withLock { $0.append(path) }
                if path == "/first" {
                    arrived.open()
                    await gate.wait()
                }
                try await connection.respond(path)
            }
        } _: { server in
            async let first = transport.text(.get, "\(server.url)/first")
            await arrived.wait()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask { _ = try await transport.text(.get, "\(server.url)/\(number)") }
                    while transport.waitingCount(server.url) <= number { await Task.yield() }
                }
                gate.open()
                try await group.waitForAll()
            }
            _ = try await first
            #expect(order.withLock { $0 } == ["/first", "/0", "/1", "/2", "/3", "/4"])
        }
    }

    /// No request of such a task changes threads.
    @Test func tasksOnAnEventLoopUseTheirOwnConnection() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let transport = NIOTransport(group: group)
        let count = Mutex(0)
        let bothAreUsed = Gate()
        try await RawServer.run { connection in
            let number = count.withLock { count in
                count += 1
                return count
            }
            while true {
                _ = try await connection.readHead()
                // Not at once: the first connection would be free, and serve the second request.
                if number == 2 { bothAreUsed.open() }
                await bothAreUsed.wait()
                try await connection.respond("\(number)")
            }
        } _: { server in
            async let one = transport.text(.get, server.url)
            async let two = transport.text(.get, server.url)
            #expect(try await Set([one, two]) == ["1", "2"])
            var used: [String] = []
            for loop in group.makeIterator() {
                let task = Task(executorPreference: LoopExecutor(loop)) {
                    var answers: Set<String> = []
                    for _ in 0..<10 { answers.insert(try await transport.text(.get, server.url)) }
                    return answers
                }
                let answers = try await task.value
                #expect(answers.count == 1)
                used += answers
            }
            #expect(used.sorted() == ["1", "2"])
        }
        try await group.shutdownGracefully()
    }

    /// The other event loop is blocked, and would make no connection.
    @Test func tasksOnAnEventLoopConnectThere() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loops = Array(group.makeIterator())
        let transport = NIOTransport(group: group)
        let isOver = DispatchSemaphore(value: 0)
        loops[1].execute { isOver.wait() }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.respond("last", headers: "Connection: close\r\n")
        } _: { server in
            defer { isOver.signal() }
            let task = Task(executorPreference: LoopExecutor(loops[0])) {
                var answers: [String] = []
                for _ in 0..<4 { answers.append(try await transport.text(.get, server.url)) }
                return answers
            }
            let answers = try await task.value
            #expect(answers == Array(repeating: "last", count: 4))
            #expect(server.connectionCount == 4)
        }
        try await group.shutdownGracefully()
    }

    @Test func idleConnectionsOfOtherOriginsMakeRoom() async throws {
        let transport = NIOTransport.make { $0.maximumConnections = 1 }
        try await RawServer.run(script: Self.echo) { one in
            try await RawServer.run(script: Self.echo) { other in
                for server in [one, other, one] {
                    let text = try await transport.text(.get, "\(server.url)/x")
                    #expect(text == "/x")
                }
                #expect(one.connectionCount == 2)
                #expect(other.connectionCount == 1)
            }
        }
    }

    @Test func idleConnectionsCloseAfterTheirTime() async throws {
        let transport = NIOTransport.make { $0.idleConnectionTimeout = .milliseconds(50) }
        try await RawServer.run(script: Self.echo) { server in
            _ = try await transport.text(.get, "\(server.url)/")
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func shutdownRefusesNewAndLetsRunningFinish() async throws {
        let transport = NIOTransport.make { $0.shutdownGrace = .seconds(30) }
        let arrived = Gate()
        let gate = Gate()
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            if head.hasPrefix("GET /slow") {
                arrived.open()
                await gate.wait()
            }
            try await connection.respond("ok")
            try await connection.untilClosed()
        } _: { server in
            async let slow = transport.text(.get, "\(server.url)/slow")
            await arrived.wait()
            _ = try await transport.text(.get, "\(server.url)/fast")
            async let shutdown: Void = transport.shutdown()
            await server.wait { $0.closedCount == 1 }
            let error = await transport.failure(.get, server.url)
            #expect(error?.code == .shutDown)
            gate.open()
            let text = try await slow
            #expect(text == "ok")
            await shutdown
            await server.wait { $0.closedCount == 2 }
        }
    }

    @Test func shutdownIsBounded() async throws {
        let transport = NIOTransport.make { $0.shutdownGrace = .milliseconds(20) }
        let arrived = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            arrived.open()
            try await connection.untilClosed()
        } _: { server in
            async let stuck = transport.failure(.get, server.url)
            await arrived.wait()
            await transport.shutdown()
            #expect(await stuck?.code == .shutDown)
        }
    }
}

/// Runs tasks on an event loop.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
