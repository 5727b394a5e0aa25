import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: token storage", .timeLimit(.minutes(1)))
struct TokenStorageTests {
    private func key(_ number: Int) throws -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: try TargetURL("https://s\(number).example.com/"), supportName: "x")
    }

    private func tokens(_ name: String) -> OAuth2Tokens { OAuth2Tokens(accessToken: name, refreshToken: "r-\(name)") }

    @Test func whatIsSavedIsThereUntilItIsRemoved() async throws {
        let storage = InMemoryTokenStorage()
        let (first, second) = (try key(1), try key(2))
        try await storage.save(tokens("a"), for: first)
        try await storage.save(tokens("b"), for: second)
        #expect(await storage.tokens(for: first)?.accessToken.value == "a")
        let other = OAuth2TokenKey(storageURL: first.storageURL, supportName: "y")
        #expect(await storage.tokens(for: other) == nil)
        try await storage.removeTokens(for: first)
        #expect(await storage.tokens(for: first) == nil)
        #expect(await storage.tokens(for: second)?.accessToken.value == "b")
        await storage.removeAllTokens()
        #expect(await storage.tokens(for: second) == nil)
    }

    /// Names with other bytes are other keys, as in storages with rows, also if Swift counts them as equal.
    @Test func keysAreComparedByBytes() async throws {
        let url = try TargetURL("https://s.example.com/")
        let keys = ["api of ren\u{e9}", "api of rene\u{301}"].map { OAuth2TokenKey(storageURL: url, supportName: $0) }
        #expect(keys[0] != keys[1] && Set(keys).count == 2)
        let storage = InMemoryTokenStorage()
        try await storage.save(tokens("a"), for: keys[0])
        #expect(await storage.tokens(for: keys[1]) == nil)
        var cache = TokensByKey()
        for (key, name) in zip(keys, ["a", "b"]) { cache.put(tokens(name), under: key) }
        #expect(cache.count == 2)
        #expect(keys.map { cache.find($0)?.accessToken.value } == ["a", "b"])
    }

    @Test func aLateHolderNeverOverwritesNewerTokens() async throws {
        let clock = TestClock()
        let storage = InMemoryTokenStorage(clock: clock)
        let key = try key(1)
        guard let stopped = storage.requestLease(for: key, duration: .seconds(30)),
            storage.requestLease(for: key, duration: .seconds(30)) == nil
        else {
            Issue.record("one lease at a time")
            return
        }
        clock.advance(by: .seconds(31))
        guard let next = storage.requestLease(for: key, duration: .seconds(30)) else {
            Issue.record("the lease never ended")
            return
        }
        try await storage.save(tokens("newer"), for: key, under: next)
        for late in [
            { @Sendable in try await storage.save(self.tokens("older"), for: key, under: stopped) },
            { @Sendable in try await storage.save(nil, for: key, under: stopped) },
            { @Sendable in try storage.extend(stopped, by: .seconds(30)) },
        ] {
            await #expect { try await late() } throws: { ($0 as? OAuth2Error)?.code == .leaseLost }
        }
        storage.release(stopped)
        #expect(await storage.tokens(for: key)?.accessToken.value == "newer")
        guard storage.requestLease(for: key, duration: .seconds(30)) == nil else {
            Issue.record("the late holder gave back another's lease")
            return
        }
    }

    @Test func aLostLeaseMeansAnothersTokens() async throws {
        let clock = TestClock()
        let storage = InMemoryTokenStorage(clock: clock)
        let bench = try OAuth2Bench(storage: storage)
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        let (server, key) = (bench.server, bench.key)
        // While the answer is in flight, this process sleeps too long, and another one renews.
        server.override { _ in
            clock.advance(by: .seconds(60))
            guard let lease = storage.requestLease(for: key, duration: .seconds(30)) else {
                return nil
            }
            try? await storage.save(OAuth2Tokens(accessToken: "theirs"), for: key, under: lease)
            server.update { $0.validAccess = ["theirs"] }
            return TokenServer.json(#"{"access_token":"ours"}"#)
        }
        #expect(try await bench.get().text == "item for theirs")
        #expect(try await bench.stored()?.accessToken.value == "theirs")
    }

    /// The moments at which a process can be killed while it rotates a refresh token.
    enum FailPoint: CaseIterable, Sendable {
        case beforeSending, beforeReceiving, beforeWriting, afterWriting
    }

    /// The next process finds the old pair or the new pair, or has to log in after a kill between the server's issue
    /// and our commit.
    @Test(arguments: FailPoint.allCases) func aKilledProcessLeavesAUsablePairOrALogin(point: FailPoint) async throws {
        let (server, storage) = (TokenServer(), InMemoryTokenStorage())
        let killed = try OAuth2Bench(server: server, storage: storage)
        try await killed.store("old", "r1", endsIn: -1, isValid: false)
        switch point {
        case .beforeSending: break
        case .beforeReceiving, .beforeWriting:
            // The server has issued tokens that were never stored.
            server.update { state in
                state.validRefresh = ["lost"]
                state.usedRefresh = ["r1"]
            }
        case .afterWriting: _ = try await killed.get()
        }
        let next = try OAuth2Bench(server: server, storage: storage)
        #expect(try await next.get().status == .ok)
        let isLost = point == .beforeReceiving || point == .beforeWriting
        #expect(next.web.opened.count == (isLost ? 1 : 0))
        #expect(server.count("refresh_token") == 1)
        #expect(try await next.get().status == .ok)
        #expect(next.web.opened.count == (isLost ? 1 : 0))
    }

    @Test func aCrashedHoldersLeaseEnds() async throws {
        let clock = TestClock()
        let storage = InMemoryTokenStorage(clock: clock)
        let bench = try OAuth2Bench(storage: storage)
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        _ = storage.requestLease(for: bench.key, duration: .seconds(30))
        let response = Task { try await bench.get() }
        await bench.waitForRenewal(1)
        #expect(bench.server.count("refresh_token") == 0)
        clock.advance(by: .seconds(31))
        #expect(try await response.value.text == "item for access-1")
    }

    /// A full disk does not lose the only refresh token that still works.
    @Test func tokensThatCannotBeWrittenAreKeptInMemory() async throws {
        let storage = FullDisk()
        let bench = try OAuth2Bench(storage: storage)
        storage.isFull.update { $0 = false }
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        storage.isFull.update { $0 = true }
        #expect(try await bench.get().text == "item for access-1")
        bench.time.advance(by: .seconds(3600))
        #expect(try await bench.get().text == "item for access-2")
        #expect(bench.server.now.reuses == 0)
        storage.isFull.update { $0 = false }
        bench.time.advance(by: .seconds(3600))
        #expect(try await bench.get().text == "item for access-3")
        #expect(try await storage.tokens(for: bench.key)?.refreshToken?.value == "refresh-3")
    }

    /// The retries of a write are no failures of their own, however often they fail.
    @Test func observersHearOfAFailedWriteOnce() async throws {
        let (storage, observer) = (FullDisk(), RecordingObserver())
        let bench = try OAuth2Bench(storage: storage, observers: [observer])
        storage.isFull.update { $0 = false }
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        storage.isFull.update { $0 = true }
        let before = storage.failures.value
        let answers = await bench.manager.getAll((1...20).map { "https://api.example.com/\($0)" })
        #expect(try answers.allSatisfy { try $0.get().status == .ok })
        while storage.failures.value < before + 3 { await Task.yield() }
        #expect(observer.storageFailures == [.storageFailed(.write, code: "tooFull")])
        storage.isFull.update { $0 = false }
    }

    /// A storage that gives out no lease, and one that has lost it.
    @Test(arguments: [OAuth2Error.Code.storageFailed, .leaseLost])
    func observersHearOfAFailedLease(code: OAuth2Error.Code) async throws {
        struct Leaseless: OAuth2TokenStorage {
            let code: OAuth2Error.Code
            func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { nil }
            func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {}
            func removeAllTokens() async throws {}
            func withLease<Outcome: Sendable>(
                for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
                _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
            ) async throws -> Outcome {
                throw OAuth2Error(code, "no lease", underlyingError: FullDisk.Failure())
            }
        }
        let observer = RecordingObserver()
        let error = try await OAuth2Bench(storage: Leaseless(code: code), observers: [observer]).failure()
        #expect(error?.code == code)
        #expect(
            observer.storageFailures == (code == .leaseLost ? [] : [.storageFailed(.lease, code: "tooFull")]))
    }

    /// Another process would find the older pair, and use it a second time.
    @Test func tokensThatCouldNotBeWrittenAreWrittenLater() async throws {
        let storage = FullDisk()
        let bench = try OAuth2Bench(storage: storage)
        storage.isFull.update { $0 = false }
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        storage.isFull.update { $0 = true }
        #expect(try await bench.get().text == "item for access-1")
        #expect(try await storage.tokens(for: bench.key)?.refreshToken?.value == "r1")
        storage.isFull.update { $0 = false }
        while try await storage.tokens(for: bench.key)?.refreshToken?.value == "r1" { await Task.yield() }
        let next = try OAuth2Bench(server: bench.server, storage: storage)
        next.time.advance(by: .seconds(3600))
        #expect(try await next.get().text == "item for access-2")
        #expect(bench.server.now.reuses == 0)
        // The first process uses the tokens of the second one.
        bench.time.advance(by: .seconds(3600))
        #expect(try await bench.get().text == "item for access-2")
    }

    /// The flow of a user's session may go right after a request.
    @Test func theyAreWrittenLaterAlsoWithoutTheirFlow() async throws {
        let (storage, bench) = (FullDisk(), try OAuth2Bench())
        let context = bench.manager.detachedContext(for: bench.key.storageURL)
        var fallback: TokenStorageFallback? = TokenStorageFallback(storage)
        weak let released = fallback
        #expect(
            try await fallback?.save(OAuth2Tokens(accessToken: "a"), for: bench.key, under: nil, in: context) == false)
        fallback = nil
        storage.isFull.update { $0 = false }
        while try await storage.tokens(for: bench.key) == nil { await Task.yield() }
        while released != nil { await Task.yield() }
    }

    /// While nobody gets a lease, tokens are used until they expire.
    @Test func tokensAreUsedToTheirEndWithoutALease() async throws {
        let (observer, url) = (RecordingObserver(), TokenServer.api)
        let bench = try OAuth2Bench(storage: WithoutLeases(), observers: [observer])
        try await bench.store("old", "r", endsIn: 30)
        #expect(try await bench.get().text == "item for old")
        #expect(try await bench.tokens.validTokens(for: url, using: bench.manager)?.accessToken.value == "old")
        #expect(observer.storageFailures.contains(.storageFailed(.lease, code: "tooFull")))
        bench.time.advance(by: .seconds(31))
        #expect(try await bench.failure()?.code == .storageFailed)
        let error = await thrown(OAuth2Error.self) {
            try await bench.tokens.validTokens(for: url, using: bench.manager)
        }
        #expect(error?.code == .storageFailed)
        #expect(bench.server.now.forms.isEmpty)
    }

    /// A job waits for a storage that is away only if nothing else can be sent.
    @Test func aLeaseIsUrgentWithoutUsableTokens() async throws {
        let storage = WithoutLeases()
        let bench = try OAuth2Bench(storage: storage)
        try await bench.store("old", "r", endsIn: 30)
        _ = try await bench.get()
        bench.time.advance(by: .seconds(31))
        _ = try await bench.failure()
        try await bench.store("refused", isValid: false)
        _ = try await bench.failure()
        #expect(storage.requests.value == [false, true, true])
    }

    /// The attempt to get a lease may take longer than the tokens live: then the storage is waited for after all.
    @Test func tokensMayExpireDuringAnAttempt() async throws {
        let storage = WithoutLeases(exceptUrgent: true)
        let bench = try OAuth2Bench(storage: storage)
        try await bench.store("old", "r", endsIn: 3)
        storage.whileWaiting.update { $0 = { [time = bench.time] in time.advance(by: .seconds(5)) } }
        #expect(try await bench.get().status == .ok)
        #expect(storage.requests.value == [false, true])
    }

    /// An exchange that was on its way when such a job failed needs new tokens, and waits for the storage.
    @Test func aFailureOfAJobThatIsNotUrgentIsNotForOthers() async throws {
        let storage = WithoutLeases(exceptUrgent: true)
        let bench = try OAuth2Bench(storage: storage)
        try await bench.store("old", "r", endsIn: 120)
        let gate = Gate()
        let (arrived, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            guard request.target.origin.host == "api.example.com" else {
                return TokenServer.json(#"{"access_token":"new","token_type":"Bearer","refresh_token":"r2"}"#)
            }
            guard request.target.path == "/late", request.headerFields[.authorization] == "Bearer old" else {
                return .init(.ok)
            }
            continuation.yield()
            await gate.pass()
            return .init(.unauthorized, [.wwwAuthenticate: "Bearer"])
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        let late = Task { try await manager.get("https://api.example.com/late") }
        for await _ in arrived { break }
        bench.time.advance(by: .seconds(90))
        #expect(try await manager.get(TokenServer.api).status == .ok)
        gate.open()
        #expect(try await late.value.status == .ok)
        #expect(storage.requests.value == [false, true])
        #expect(transport.requests.last?.headerFields[.authorization] == "Bearer new")
    }

    @Test func aStorageThatCannotBeReadSaysSo() async throws {
        struct Broken: OAuth2TokenStorage {
            struct Failure: Error {}
            func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { throw Failure() }
            func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {}
            func removeAllTokens() async throws {}
        }
        let observer = RecordingObserver()
        let error = try await OAuth2Bench(storage: Broken(), observers: [observer]).failure()
        #expect(observer.storageFailures == [.storageFailed(.read, code: "storageFailed")])
        #expect(error?.code == .storageFailed)
        #expect(error?.underlyingError is Broken.Failure)
    }

    @Test func tokensSurviveTheirEncoding() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let tokens = OAuth2Tokens(
            accessToken: "a", refreshToken: "r", idToken: "i", scopes: ["x"], expiresAt: now + 60, receivedAt: now,
            source: .refresh)
        #expect(try JSONDecoder().decode(OAuth2Tokens.self, from: JSONEncoder().encode(tokens)) == tokens)
    }
}

/// A storage without leases whose writes fail while it is full.
private final class FullDisk: OAuth2TokenStorage {
    struct Failure: TokenStorageError { var codeName: String { "tooFull" } }
    let isFull = Box(true)
    let failures = Box(0)
    private let memory = InMemoryTokenStorage()

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { await memory.tokens(for: key) }
    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        if isFull.value, tokens != nil {
            failures.update { $0 += 1 }
            throw Failure()
        }
        try await memory.save(tokens, for: key, under: lease)
    }
    func removeAllTokens() async throws { await memory.removeAllTokens() }
}

/// A storage that can be read and gives out no leases.
private final class WithoutLeases: RemoteTokenStorage {
    /// Whether the requests for leases were urgent.
    let requests = Box([Bool]())
    /// Runs before a lease is refused.
    let whileWaiting = Box<@Sendable () -> Void>({})
    private let givesUrgent: Bool
    private let memory = InMemoryTokenStorage()

    /// - Parameter exceptUrgent: whether urgent work runs nevertheless
    init(exceptUrgent: Bool = false) { givesUrgent = exceptUrgent }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { await memory.tokens(for: key) }
    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await memory.save(tokens, for: key, under: lease)
    }
    func removeAllTokens() async throws { await memory.removeAllTokens() }
    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, isUrgent: Bool, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        requests.update { $0.append(isUrgent) }
        if isUrgent, givesUrgent { return try await work(nil) }
        whileWaiting.value()
        throw OAuth2Error(.storageFailed, "no lease", underlyingError: FullDisk.Failure())
    }
}

extension RecordingObserver {
    fileprivate var storageFailures: [LoginEvent] {
        kinds().compactMap { kind in
            guard case .login(let event) = kind, case .storageFailed = event else { return nil }
            return event
        }
    }
}
