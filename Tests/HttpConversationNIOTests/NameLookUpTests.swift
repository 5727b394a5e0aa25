import Dispatch
import HttpConversation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HttpConversationNIO

/// Look-ups of names by a resolver that blocks as the system's does.
@Suite(.timeLimit(.minutes(1))) struct NameLookUpTests {
    /// Resolves `slow` names only after a release, and others at once.
    private final class Names: Sendable {
        private let calls = Mutex<[String]>([])
        private let gate = DispatchSemaphore(value: 0)

        var asked: [String] { calls.withLock { $0 } }

        func addresses(_ question: NameLookUps.Question) throws -> [SocketAddress] {
            calls.withLock { $0.append(question.host) }
            if question.host.hasPrefix("slow") { gate.wait() }
            guard !question.host.hasSuffix("missing") else { throw Missing() }
            return [try SocketAddress(ipAddress: "192.0.2.1", port: 0)]
        }

        func release(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }
    }

    private struct Missing: Error {}

    private let names = Names()
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func lookUps(limit: Int = 64, limitPerQuestion: Int = 4) -> NameLookUps {
        NameLookUps(limit: limit, limitPerQuestion: limitPerQuestion) { [names] in try names.addresses($0) }
    }

    private func begin(_ names: [String], _ lookUps: NameLookUps) -> [NameLookUp] {
        names.map { lookUps.begin(.init(host: $0), on: loop) }
    }

    private func addresses(_ lookUp: NameLookUp) async throws -> [String?] {
        try await lookUp.addresses.get().map(\.ipAddress)
    }

    @Test func silentNamesDelayNoOther() async throws {
        let lookUps = lookUps()
        let slow = begin((0..<60).map { "slow\($0)" }, lookUps)
        let fast = begin(["fast"], lookUps)
        #expect(try await addresses(fast[0]) == ["192.0.2.1"])
        names.release(slow.count)
        for lookUp in slow { #expect(try await addresses(lookUp) == ["192.0.2.1"]) }
    }

    @Test func lookUpsBeyondTheLimitWait() async throws {
        let lookUps = lookUps(limit: 2)
        let running = begin(["slow1", "slow2"], lookUps)
        let waiting = begin(["third", "fourth"], lookUps)
        waiting[0].cancel()
        names.release()
        #expect(try await addresses(waiting[1]) == ["192.0.2.1"])
        names.release()
        for lookUp in running { _ = try await addresses(lookUp) }
        #expect(Set(names.asked) == ["slow1", "slow2", "fourth"])
    }

    /// Many connections to one dead name leave threads to other names.
    @Test(arguments: ["slow", "slow.missing"])
    func oneNameTakesFewThreads(name: String) async throws {
        let lookUps = lookUps(limit: 2, limitPerQuestion: 1)
        let same = begin([name, name, name], lookUps)
        let family = lookUps.begin(.init(host: "fast", family: .ipv4), on: loop)
        #expect(try await addresses(family) == ["192.0.2.1"])
        names.release()
        for lookUp in same {
            if name == "slow" {
                #expect(try await addresses(lookUp) == ["192.0.2.1"])
            } else {
                await #expect(throws: Missing.self) { try await addresses(lookUp) }
            }
        }
        #expect(names.asked.filter { $0 == name }.count == 1)
    }

    /// The wait ends while the system's call goes on.
    @Test func theEndOfAnAttemptEndsItsLookUp() async throws {
        let lookUps = lookUps(limit: 1)
        let running = begin(["slow"], lookUps)
        let waiting = begin(["waiting", "next"], lookUps)
        for lookUp in [running[0], waiting[0]] {
            let attempt = ConnectAttempt(key: PoolKey(origin: try TargetURL("https://name.test/").origin))
            attempt.setLookUp(endedBy: lookUp.cancel)
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await addresses(lookUp) }
        }
        names.release()
        #expect(try await addresses(waiting[1]) == ["192.0.2.1"])
        #expect(names.asked == ["slow", "next"])
    }

    @Test func anAttemptThatIsOverWaitsForNothing() async throws {
        let lookUp = begin(["slow"], lookUps())[0]
        let attempt = ConnectAttempt(key: PoolKey(origin: try TargetURL("https://name.test/").origin))
        attempt.cancel()
        attempt.setLookUp(endedBy: lookUp.cancel)
        await #expect(throws: CancellationError.self) { try await addresses(lookUp) }
        names.release()
    }

    @Test func theTimeLimitOfConnectingEndsTheWait() async throws {
        let lookUp = begin(["slow"], lookUps())[0]
        let connecting = ClientBootstrap(group: loop).connectTimeout(.milliseconds(10))
            .resolver(AddressResolver(addresses: lookUp.addresses, lookUp: lookUp)).connect(host: "slow", port: 1)
        await #expect(throws: ChannelError.self) { try await connecting.get() }
        await #expect(throws: CancellationError.self) { try await addresses(lookUp) }
        names.release()
    }

    /// The system asks no name server about an address.
    @Test func theSystemAnswersForTheFamily() async throws {
        for (host, family) in [("192.0.2.1", .ipv4), ("2001:db8::1", .ipv6)] as [(String, NIOTransport.AddressFamily)] {
            for asked in [nil, family] {
                let lookUp = NameLookUps.shared.begin(.init(host: host, family: asked), on: loop)
                let found = try await lookUp.addresses.get()
                #expect(found.map(\.ipAddress) == [host] && found.map(\.port) == [0])
            }
            let other = NameLookUps.shared.begin(.init(host: host, family: family == .ipv4 ? .ipv6 : .ipv4), on: loop)
            await #expect(throws: (any Error).self) { try await other.addresses.get() }
        }
    }
}
