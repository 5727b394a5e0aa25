import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// Flow control and liveness checks.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTP2FlowTests {
    private static let length = 1 << 20
    /// The frames that use up a stream's window.
    private static let window = [16_384, 16_384, 16_384, 8192]

    /// Sends a body through the stream's window, and counts each time the window is used up.
    private static func send(_ peer: HTTP2Peer, on stream: Int, stalled: Counter) async throws {
        try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
        var window = HTTP2Limits.streamWindow
        var rest = length
        while rest > 0 {
            if window == 0 {
                stalled.add()
                while window == 0 {
                    let frame = try await peer.read(HTTP2Peer.windowUpdate)
                    if frame.stream == stream { window += frame.payload.reduce(0) { $0 << 8 | Int($1) } }
                }
            }
            let count = min(window, rest, 16_384)
            try await peer.write(HTTP2Peer.body(stream, [UInt8](repeating: 5, count: count), ends: count == rest))
            window -= count
            rest -= count
        }
    }

    /// Sends a body, and waits each time the window is used up for the credit for what it sent.
    ///
    /// - Returns: how often it waited, and the most that it could send at once
    private static func sendInRounds(
        _ peer: HTTP2Peer, on stream: Int, length: Int
    ) async throws -> (rounds: Int, largest: Int) {
        try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
        var (window, rest, rounds, largest) = (HTTP2Limits.streamWindow, length, 0, 0)
        while rest > 0 {
            let round = min(window, rest)
            largest = max(largest, round)
            rounds += 1
            for start in stride(from: 0, to: round, by: 16_384) {
                let bytes = [UInt8](repeating: 5, count: min(16_384, round - start))
                try await peer.write(HTTP2Peer.body(stream, bytes, ends: start + bytes.count == rest))
            }
            rest -= round
            window -= round
            // The reader takes all of it, and credit comes in steps.
            while rest > 0, window <= round - HTTP2Limits.creditStep {
                let frame = try await peer.read(HTTP2Peer.windowUpdate)
                if frame.stream == stream { window += frame.payload.reduce(0) { $0 << 8 | Int($1) } }
            }
        }
        return (rounds, largest)
    }

    /// Windows grow while their readers keep up: the wait for credit is a round trip.
    @Test(
        arguments: [
            (32 << 20, HTTP2Limits.largestStreamWindow, 24 << 20), (100 << 10, 112 << 10, 1 << 20),
            (0, 56 << 10, 1 << 20),
        ])
    func windowsGrow(budget: Int, most: Int, length: Int) async throws {
        try await HTTP2Server.run {
            $0.http2.windowBudget = HTTP2WindowBudget(budget)
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection)
            while true {
                let stream = try await peer.readRequest()
                let (rounds, largest) = try await Self.sendInRounds(peer, on: stream, length: length)
                #expect(largest <= most && largest > most - 2 * HTTP2Limits.creditStep, "\(largest)")
                if budget > length { #expect(rounds < 40) }
            }
        } _: { server, transport, url in
            // The second one needs what the first one gives back.
            for _ in 0..<2 {
                let bytes = try await transport.send(.get, url).body.collect(upTo: length)
                #expect(bytes.count == length)
            }
        }
    }

    /// The bytes of a response are in memory until they are read, also after the end of its stream.
    @Test func theBudgetCountsEndedResponses() async throws {
        let (first, more) = (HTTP2Limits.streamWindow, 32 << 10)
        let budget = HTTP2WindowBudget(HTTP2Limits.streamWindow)
        try await HTTP2Server.run {
            $0.http2.windowBudget = budget
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
            var credit = 0
            for (count, wanted) in [(first, more), (more, first + more + 1)] {
                for start in stride(from: 0, to: count, by: 8192) {
                    let bytes = [UInt8](repeating: 5, count: min(8192, count - start))
                    try await peer.write(HTTP2Peer.body(stream, bytes, ends: false))
                }
                // More credit than the bytes that were sent: the window has grown.
                while credit < wanted {
                    let frame = try await peer.read(HTTP2Peer.windowUpdate)
                    credit += frame.payload.reduce(0) { $0 << 8 | Int($1) }
                }
            }
            let other = try await peer.readRequest()
            try await peer.write(HTTP2Peer.body(stream, [UInt8](repeating: 6, count: 1000)))
            try await peer.respond(other)
            try await peer.serve()
        } _: { _, transport, url in
            let body = try await transport.send(.get, url).body
            var count = 0
            while count < first + more { count += try #require(try await body.next()).count }
            try await transport.expect("ok", .get, url)
            #expect(!budget.take(HTTP2Limits.streamWindow))
            #expect(try await body.collect(upTo: 1000).count == 1000)
            #expect(budget.take(HTTP2Limits.streamWindow))
        }
    }

    /// A stream whose window has grown to the whole budget gives half of it to another one.
    @Test func theBudgetIsShared() async throws {
        let (first, piece) = (HTTP2Limits.streamWindow, HTTP2Limits.creditStep)
        let budget = HTTP2WindowBudget(3 * first)
        try await HTTP2Server.run {
            $0.http2.windowBudget = budget
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            let streams = [try await peer.readRequest(), try await peer.readRequest()]
            for stream in streams { try await peer.write(HTTP2Peer.head(stream, [(":status", "200")])) }
            /// Sends pieces, and expects this much credit for all of them.
            func send(_ count: Int, on stream: Int, for credit: Int) async throws {
                for _ in 0..<count {
                    try await peer.write(HTTP2Peer.body(stream, [UInt8](repeating: 5, count: piece), ends: false))
                }
                var missing = credit
                while missing > 0 {
                    let frame = try await peer.read(HTTP2Peer.windowUpdate)
                    #expect(frame.stream == stream)
                    missing -= frame.payload.reduce(0) { $0 << 8 | Int($1) }
                }
                #expect(missing == 0)
            }
            // It doubles twice.
            for _ in 0..<3 { try await send(1, on: streams[0], for: piece) }
            try await send(1, on: streams[0], for: piece + first)
            for _ in 0..<6 { try await send(1, on: streams[0], for: piece) }
            try await send(1, on: streams[0], for: piece + 2 * first)
            // The other stream has to wait for its part of the budget before its window doubles.
            for _ in 0..<4 { try await send(1, on: streams[1], for: piece) }
            try await send(6, on: streams[0], for: 6 * piece - 3 * first / 2)
            for _ in 0..<3 { try await send(1, on: streams[1], for: piece) }
            try await send(1, on: streams[1], for: piece + first)
            // Both keep what they have.
            for stream in streams { for _ in 0..<20 { try await send(1, on: stream, for: piece) } }
            for stream in streams { try await peer.write(HTTP2Peer.body(stream, [])) }
            try await peer.serve()
        } _: { _, transport, url in
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { try await transport.send(.get, url).body.collect(upTo: 1 << 20).count }
                }
                let count = try await group.reduce(0, +)
                #expect(count == (4 + 7 + 4 + 6 + 4 + 40) * piece)
            }
            #expect(budget.share == 3 * first && budget.take(3 * first))
        }
    }

    @Test func aBudgetOfWindows() {
        let budget = HTTP2WindowBudget(10)
        #expect(budget.take(6))
        #expect(!budget.take(5))
        #expect(budget.take(4))
        budget.give(6)
        #expect(budget.take(5))
    }

    /// Frames of unknown types are ignored (RFC 9113 §4.1), but only up to a limit.
    @Test(arguments: [(200, nil), (5000, .http2Failed)] as [(Int, ConversationError.Code?)])
    func unknownFrames(count: Int, code: ConversationError.Code?) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            let stream = try await peer.readRequest()
            let frame = HTTP2Peer.frame(0xAA, [UInt8](repeating: 0, count: 1000))
            for _ in 0..<count { try await peer.write(frame) }
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, [1]))
            try await peer.serve()
        } _: { server, transport, url in
            do throws(ConversationError) {
                #expect(try await transport.text(.get, url) == "\u{1}")
                #expect(code == nil)
            } catch {
                #expect(error.code == code && error.message.contains("unknown"), "\(error)")
            }
        }
    }

    /// A response that may not have content is not delivered with some (RFC 9113 §8.1.1).
    @Test(
        arguments: [
            (.head, "200", [1], false), (.get, "204", [1], false), (.get, "304", [1], false), (.get, "204", [], true),
            (.head, "200", [], true), (.get, "205", [1], true),
        ] as [(HTTPRequest.Method, String, [UInt8], Bool)])
    func contentOfAResponseWithoutContent(method: HTTPRequest.Method, status: String, data: [UInt8], isTaken: Bool)
        async throws
    {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", status)]) + HTTP2Peer.body(stream, data))
            try await peer.serve()
        } _: { server, transport, url in
            do throws(ConversationError) {
                let text = try await transport.text(method, url)
                #expect(isTaken && text.utf8.elementsEqual(data))
            } catch {
                #expect(!isTaken && error.code == .malformedResponse, "\(error)")
            }
        }
    }

    /// A stalled reader holds one window of its stream, and blocks no other.
    @Test func aStalledReader() async throws {
        let stalled = Counter()
        let other = Gate()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            let slow = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(slow, [(":status", "200")]))
            for count in Self.window {
                try await peer.write(HTTP2Peer.body(slow, [UInt8](repeating: 1, count: count), ends: false))
            }
            // Its window is used up. Another stream continues meanwhile, for sixteen windows.
            let quick = try await peer.readRequest()
            try await Self.send(peer, on: quick, stalled: stalled)
            other.open()
            var update = try await peer.read(HTTP2Peer.windowUpdate)
            // The quick reader's last credit may come after its end.
            while update.stream == quick { update = try await peer.read(HTTP2Peer.windowUpdate) }
            #expect(update.stream == slow)
            try await peer.write(HTTP2Peer.body(slow, [2]))
            try await peer.serve()
        } _: { server, transport, url in
            let slow = try await transport.send(.get, url)
            let quick = try await transport.text(.get, url)
            #expect(quick.utf8.count == Self.length)
            await other.wait()
            let bytes = try await slow.body.collect(upTo: 1 << 20)
            #expect(bytes.count == HTTP2Limits.streamWindow + 1)
            #expect(server.connectionCount == 1)
            #expect(stalled.value > 0)
        }
    }

    /// Together they exceed the connection's window, which is refilled even if they do not read.
    @Test func manyStalledReaders() async throws {
        let count = 300
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 1000)])
            var streams: [Int] = []
            while streams.count < count { streams.append(try await peer.readRequest()) }
            for stream in streams {
                try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
                for count in Self.window {
                    try await peer.write(HTTP2Peer.body(stream, [UInt8](repeating: 1, count: count), ends: false))
                }
            }
            try await peer.respond(try await peer.readRequest())
            for stream in streams { try await peer.write(HTTP2Peer.body(stream, [])) }
            try await peer.serve()
        } _: { server, transport, url in
            let responses = try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                for _ in 0..<count { group.addTask { try await transport.send(.get, url) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await transport.expect("ok", .get, url)
            for response in responses {
                let bytes = try await response.body.collect(upTo: 1 << 20)
                #expect(bytes.count == HTTP2Limits.streamWindow)
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// The server gets credit only for bytes that were read.
    @Test func withoutAReaderNoWindowIsGranted() async throws {
        let pinged = Gate()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
            for count in Self.window {
                try await peer.write(HTTP2Peer.body(stream, [UInt8](repeating: 1, count: count), ends: false))
            }
            try await peer.write(HTTP2Peer.frame(HTTP2Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
            let answer = try await peer.read()
            #expect(answer.type == HTTP2Peer.ping)
            pinged.open()
            #expect(try await peer.read().type == HTTP2Peer.windowUpdate)
            try await peer.write(HTTP2Peer.body(stream, [2]))
            try await peer.serve()
        } _: { server, transport, url in
            let response = try await transport.send(.get, url)
            await pinged.wait()
            let bytes = try await response.body.collect(upTo: 1 << 20)
            #expect(bytes.count == HTTP2Limits.streamWindow + 1)
        }
    }

    /// A silent server gets a ping, and its connection is closed if it does not answer.
    @Test(arguments: [false, true]) func liveness(answers: Bool) async throws {
        let pings = Counter()
        try await HTTP2Server.run {
            $0.http2.livenessInterval = .milliseconds(200)
            $0.http2.livenessTimeout = answers ? .seconds(30) : .milliseconds(500)
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection)
            peer.answersPings = false
            let stream = try await peer.readRequest()
            while true {
                let frame = try await peer.read(HTTP2Peer.ping)
                #expect(frame.flags == 0)
                guard answers else { return try await connection.untilClosed() }
                try await peer.write(HTTP2Peer.frame(HTTP2Peer.ping, flags: 1, frame.payload))
                if pings.add() == 3 { try await peer.respond(stream) }
            }
        } _: { server, transport, url in
            let error = await transport.failure(.get, url)
            #expect(error?.code == (answers ? nil : .timedOut))
            if !answers { #expect(error?.message.contains("PING") == true) }
        }
    }

    /// Requests with short time limits find out that the connection is dead, too.
    @Test func aDeadConnectionOfShortRequests() async throws {
        try await HTTP2Server.run {
            $0.http2.livenessInterval = .seconds(30)
            $0.http2.livenessTimeout = .seconds(2)
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection)
            guard connection.index == 0 else { return try await peer.serve() }
            try await peer.respond(try await peer.readRequest())
            // It reads, and says nothing any more.
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            for _ in 0..<2 {
                let error = await transport.failure(.get, url) { $0.timeLimit = .milliseconds(100) }
                #expect(error?.code == .timedOut)
            }
            let error = await transport.failure(.get, url) { $0.timeLimit = .seconds(20) }
            #expect(error == nil)
            #expect(server.connectionCount == 2)
        }
    }

    /// A server's pings do not keep a connection that no request uses.
    @Test func pingsDoNotKeepAnIdleConnection() async throws {
        let pings = Counter()
        try await HTTP2Server.run {
            $0.idleConnectionTimeout = .milliseconds(300)
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection)
            try await peer.respond(try await peer.readRequest())
            while true {
                try await peer.write(HTTP2Peer.frame(HTTP2Peer.ping, [UInt8](repeating: 0, count: 8)))
                pings.add()
                try await Task.sleep(for: .milliseconds(50))
            }
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            await server.wait { $0.closedCount == 1 }
            // After 200 it would be closed for the number of pings.
            #expect(pings.value < 100)
        }
    }

    /// Each stream has its own idle limit.
    @Test func idleStream() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            let stream = try await peer.readRequest()
            let frame = try await peer.read(HTTP2Peer.rstStream)
            #expect(frame.stream == stream)
            try await peer.serve()
        } _: { server, transport, url in
            let error = await transport.failure(.get, url) { $0.idleTimeout = .milliseconds(300) }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("idle timeout") == true)
            try await transport.expect("ok", .get, url)
            #expect(server.connectionCount == 1)
        }
    }
}
