import Foundation
import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConversation
import Synchronization
import Testing

@testable import HttpConvVault
@testable import HttpConvVaultStorage

@Suite("Vault storage", .timeLimit(.minutes(1)))
struct VaultTokenStorageTests {
    private let place: TemporaryVault
    private let key: OAuth2TokenKey

    init() throws {
        place = try TemporaryVault()
        key = try .number(1)
    }

    @Test func tokensOutliveTheHandle() async throws {
        let vault = try await place.vault()
        try await VaultTokenStorage(vault).save(.named("a"), for: key)
        try await vault.close()
        #expect(try await VaultTokenStorage(place.vault()).tokens(for: key)?.refreshToken?.value == "r-a")
    }

    /// Decrypted tokens do not outlive the vault's keys in memory.
    @Test func nothingIsKeptOfAClosedVault() async throws {
        let vault = try await place.vault()
        let storage = VaultTokenStorage(vault)
        try await storage.save(.named("a"), for: key)
        #expect(try await storage.tokens(for: key) != nil && storage.cache.count == 1)
        vault.forgetKeys()
        #expect(storage.cache.count == 0)
        await #expect(throws: OAuth2Error.self) { try await storage.tokens(for: key) }
        storage.cache.keep(.named("late"), for: key, at: 0)
        #expect(storage.cache.count == 0)
    }

    @Test func keysWithOtherBytesAreApart() async throws {
        let storage = VaultTokenStorage(try await place.vault())
        let keys = try ["ren\u{e9}", "rene\u{301}"].map { try OAuth2TokenKey.number(1, support: $0) }
        try await storage.save(.named("a"), for: keys[0])
        #expect(try await storage.tokens(for: keys[0])?.accessToken.value == "a")
        #expect(try await storage.tokens(for: keys[1]) == nil)
        try await storage.save(.named("b"), for: keys[1])
        for (key, name) in zip(keys + keys, ["a", "b", "a", "b"]) {
            #expect(try await storage.tokens(for: key)?.accessToken.value == name)
        }
        #expect(storage.cache.count == 2)
    }

    @Test func collectionsAreApart() async throws {
        let vault = try await place.vault()
        let (one, two) = (VaultTokenStorage(vault), VaultTokenStorage(vault, collection: "two"))
        try await one.save(.named("1"), for: key)
        try await two.save(.named("2"), for: key)
        try await vault.write([1], for: key.text, in: "the application's own")
        #expect(try await one.lease(key) != nil)
        #expect(try await two.lease(key) != nil)
        try await two.removeAllTokens()
        #expect(try await one.tokens(for: key)?.accessToken.value == "1")
        #expect(try await vault.read(key.text, in: "the application's own")?.value == [1])
    }

    /// A waiter for a lease does not take the write lock again and again.
    @Test func askingAgainTakesNoTransactions() async throws {
        let begun = Mutex(0)
        let clock = CountingClock()
        var options = DataVaultConfiguration()
        options.clock = clock
        options.failPoint = { point in if point == .transactionBegun { begun.withLock { $0 += 1 } } }
        let (one, two) = (
            VaultTokenStorage(try await place.vault()), VaultTokenStorage(try await place.vault(options))
        )
        let lease = try #require(try await one.lease(key))
        let looks = Mutex(0)
        let waiter = Task { [key] in
            try await two.withLease(
                for: key, duration: .seconds(30),
                until: { () -> Bool? in
                    looks.withLock { $0 += 1 }
                    return nil
                }
            ) { $0 != nil }
        }
        while clock.sleeps.withLock({ $0 }) < 20 { await Task.yield() }
        #expect(begun.withLock { $0 } == 1)
        #expect(looks.withLock { $0 } == 1)
        await one.releaseLease(lease)
        #expect(try await waiter.value)
    }

    @Test func keysAreListed() async throws {
        let storage = VaultTokenStorage(try await place.vault())
        #expect(try await storage.keys().isEmpty)
        let keys = try [key, .number(2), OAuth2TokenKey(storageURL: key.storageURL, supportName: "a name with spaces")]
        for key in keys { try await storage.save(.named("a"), for: key) }
        #expect(Set(try await storage.keys()) == Set(keys))
        try await storage.vault.write([1], for: "no key of tokens", in: storage.collection)
        #expect(try await storage.keys().count == 3)
    }

    @Test func aWrongKeyIsAnErrorAndNotAnEmptyStorage() async throws {
        let vault = try await place.vault()
        try await VaultTokenStorage(vault).save(.named("a"), for: key)
        try await vault.close()
        let wrong = try DataVaultKey.bytes([UInt8](repeating: 8, count: 32))
        do {
            _ = try await DataVault.openOrCreate(at: place.directory, key: wrong)
            Issue.record("another key opens the vault")
        } catch {
            #expect(error.code == .wrongKey)
        }
        #expect(try await VaultTokenStorage(place.vault()).tokens(for: key)?.accessToken.value == "a")
    }

    @Test(arguments: ["", "{}", "null", #"{"accessToken":"planted-canary"}"#, #"{"accessToken": planted-canary"#])
    func aRecordThatHoldsNoTokensIsAnError(text: String) async throws {
        let vault = try await place.vault()
        let storage = VaultTokenStorage(vault)
        try await vault.write(Array(text.utf8), for: key.text, in: storage.collection)
        let error = await failure { _ = try await storage.tokens(for: key) }
        #expect(error?.code == .storageFailed)
        #expect((error?.underlyingError as? DataVaultError)?.code == .damaged)
        let shown = "\(error as Any) \(error?.underlyingError as Any)"
        #expect(!shown.contains("canary"))
        try await storage.save(.named("a"), for: key)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "a")
    }

    /// Removing all tokens removes a damaged record, too, and ends the leases on the others.
    @Test func aDamagedRecordKeepsNoTokens() async throws {
        let (vault, other) = (try await place.vault(), try OAuth2TokenKey.number(2))
        let storage = VaultTokenStorage(vault)
        try await storage.save(.named("a"), for: key)
        try await vault.connections.write { try $0.execute("UPDATE record SET sealed = x''") }
        try await storage.save(.named("b"), for: other)
        let lease = try #require(try await storage.lease(other))
        #expect(await failure { _ = try await storage.keys() }?.code == .storageFailed)
        try await storage.removeAllTokens()
        for key in [key, other] { #expect(try await storage.tokens(for: key) == nil) }
        #expect(try await storage.keys().isEmpty)
        let error = await failure { try await storage.save(.named("c"), for: other, under: lease) }
        #expect(error?.code == .leaseLost)
    }

    @Test func errorsNameTheFailedOperation() async throws {
        let vault = try await place.vault()
        let (storage, key) = (VaultTokenStorage(vault), key)
        let lease = try #require(try await storage.lease(key))
        try await vault.close()
        let attempts: [@Sendable () async throws -> Void] = [
            { _ = try await storage.tokens(for: key) },
            { try await storage.save(.named("a"), for: key) },
            { try await storage.save(.named("a"), for: key, under: lease) },
            { try await storage.removeTokens(for: key) },
            { try await storage.save(nil, for: key, under: lease) },
            { try await storage.removeAllTokens() },
            { try await storage.withLease(for: key, duration: .seconds(1), until: { nil }) { _ in } },
            { try await storage.extendLease(lease) },
        ]
        for (number, attempt) in attempts.enumerated() {
            let error = await failure(attempt)
            #expect(error?.code == .storageFailed, "\(number)")
            #expect((error?.underlyingError as? DataVaultError)?.code == .closed, "\(number)")
        }
        await storage.releaseLease(lease)
    }

    /// Tokens are cached in memory until any process writes.
    @Test func writesOfOthersAreSeenAtOnce() async throws {
        let (storage, other) = (
            VaultTokenStorage(try await place.vault()), VaultTokenStorage(try await place.vault())
        )
        for round in 0..<20 {
            let writer = round.isMultiple(of: 2) ? storage : other
            try await writer.save(.named("\(round)"), for: key)
            #expect(storage.tokensInMemory(for: key) == nil && other.tokensInMemory(for: key) == nil)
            for _ in 0..<2 {
                #expect(try await storage.tokens(for: key)?.accessToken.value == "\(round)")
                #expect(try await other.tokens(for: key)?.accessToken.value == "\(round)")
                // Without a wait, too, now that both have read them.
                #expect(storage.tokensInMemory(for: key)?.accessToken.value == "\(round)")
                #expect(other.tokensInMemory(for: key)?.accessToken.value == "\(round)")
            }
        }
        try await other.removeTokens(for: key)
        #expect(storage.tokensInMemory(for: key) == nil)
        #expect(try await storage.tokens(for: key) == nil)
    }

    @Test func aClosedVaultGivesNothingFromMemory() async throws {
        let vault = try await place.vault()
        let storage = VaultTokenStorage(vault)
        try await storage.save(.named("a"), for: key)
        for _ in 0..<2 { #expect(try await storage.tokens(for: key) != nil) }
        try await vault.close()
        #expect(storage.tokensInMemory(for: key) == nil)
        let error = await failure { _ = try await storage.tokens(for: key) }
        #expect((error?.underlyingError as? DataVaultError)?.code == .closed)
    }

    @Test func leasesAreNoLongerThanTheVaultGivesAny() async throws {
        let storage = VaultTokenStorage(try await place.vault())
        try await storage.withLease(for: key, duration: .seconds(1_000_000), until: { nil }) { _ in
            let end = try #require(try await storage.vault.leaseHolder(storage.leaseName(key))).expires
            #expect(end <= Date() + TimeInterval(DataVault.maximumLeaseDuration.components.seconds))
        }
        let error = await failure {
            try await storage.withLease(for: .number(2), duration: .zero, until: { nil }) { _ in }
        }
        #expect(error?.code == .storageFailed)
    }

    @Test func noTokenStandsInTheFiles() async throws {
        let vault = try await place.vault()
        let storage = VaultTokenStorage(vault)
        let canaries = ["canary-access-4f1d", "canary-refresh-9ab3", "canary-id-77c2", "canary-scope-e0e0"]
        let tokens = OAuth2Tokens(
            accessToken: canaries[0], refreshToken: canaries[1], idToken: canaries[2], scopes: [canaries[3]])
        let secretKey = try OAuth2TokenKey.number(1, support: "canary-support-5d5d")
        let lease = try #require(try await storage.lease(secretKey))
        try await storage.save(tokens, for: secretKey, under: lease)
        try await storage.save(tokens, for: key)
        try await storage.removeTokens(for: key)
        let secrets = canaries + ["canary-support-5d5d", "s1.example.com"]
        for secret in secrets { #expect(try !place.contains(secret), "\(secret)") }
        try await vault.close()
        for secret in secrets { #expect(try !place.contains(secret), "\(secret)") }
        for text in ["\(storage)", String(reflecting: storage), "\(Mirror(reflecting: storage).children.map(\.value))"]
        {
            #expect(!text.contains("canary"))
        }
    }

    /// The same search finds a planted text.
    @Test(arguments: ["", "x", "xy"]) func theMemorySearchFindsKnownBytes(before: String) async throws {
        try await place.vault().close()
        let canary = "canary-access-4f1d"
        let file = place.directory.appendingPathComponent("planted")
        #expect(try !place.contains(canary))
        for content in [
            Data((before + canary).utf8), Data(Data((before + canary + "z").utf8).base64EncodedString().utf8),
        ] {
            try content.write(to: file)
            #expect(try place.contains(canary))
        }
    }
}

/// The system's clock, which counts its sleeps.
private final class CountingClock: WallClock {
    let sleeps = Mutex(0)
    var date: Date { Date() }
    var uptime: Duration { .zero }

    func sleep(for duration: Duration) async throws {
        sleeps.withLock { $0 += 1 }
        try await Task.sleep(for: duration)
    }
}
