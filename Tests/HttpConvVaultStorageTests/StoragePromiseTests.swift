import Foundation
import HttpConvAuthFlows
import HttpConversation
import Testing

/// The promises of every storage with leases.
@Suite("Storages: the same promises", .timeLimit(.minutes(1)))
struct StoragePromiseTests {
    @Test(arguments: StorageKind.allCases) func savedTokensAreComplete(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        #expect(try await storage.second.tokens(for: key) == nil)
        let received = Date(timeIntervalSince1970: 1_800_000_000.123)
        let full = OAuth2Tokens(
            accessToken: "a\u{0}\"é", refreshToken: "r", idToken: "i", scopes: ["x", "y z"],
            expiresAt: received + 0.1, receivedAt: received, source: .refresh)
        let least = OAuth2Tokens(accessToken: "", receivedAt: received)
        for tokens in [full, least] {
            try await storage.first.save(tokens, for: key)
            #expect(try await storage.first.tokens(for: key) == tokens)
            #expect(try await storage.second.tokens(for: key) == tokens)
        }
    }

    @Test(arguments: StorageKind.allCases) func removalMeansOneKeyOrAll(kind: StorageKind) async throws {
        let storage = try await SharedStorage(kind)
        let keys = [try OAuth2TokenKey.number(1), try .number(2), try .number(1, support: "other")]
        for (number, key) in keys.enumerated() { try await storage.first.save(.named("\(number)"), for: key) }
        try await storage.second.removeTokens(for: keys[0])
        try await storage.second.removeTokens(for: keys[0])
        #expect(try await storage.first.tokens(for: keys[0]) == nil)
        #expect(try await storage.first.tokens(for: keys[1])?.accessToken.value == "1")
        #expect(try await storage.first.tokens(for: keys[2])?.accessToken.value == "2")
        try await storage.second.removeAllTokens()
        for key in keys { #expect(try await storage.first.tokens(for: key) == nil) }
    }

    @Test(arguments: StorageKind.allCases) func oneHolderAtATime(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let lease = try #require(try await storage.first.lease(key))
        #expect(lease.key == key)
        for handle in [storage.first, storage.second] {
            #expect(try await handle.lease(key) == nil, "two holders")
            // A waiter looks at once, and returns what it finds.
            #expect(try await handle.withLease(for: key, duration: .seconds(30), until: { true }) { _ in false })
        }
        #expect(try await storage.second.lease(.number(1, support: "other")) != nil)
        #expect(try await storage.second.lease(.number(2)) != nil)
        await storage.first.releaseLease(lease)
        let next = try #require(try await storage.second.lease(key))
        #expect(next.fence > lease.fence)
    }

    @Test(arguments: StorageKind.allCases) func underALeaseTokensAreSavedAndRemoved(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let lease = try #require(try await storage.first.lease(key))
        try await storage.first.save(.named("a"), for: key, under: lease)
        #expect(try await storage.second.tokens(for: key)?.accessToken.value == "a")
        try await storage.first.save(nil, for: key, under: lease)
        #expect(try await storage.second.tokens(for: key) == nil)
    }

    @Test(arguments: StorageKind.allCases) func anExtendedLeaseKeepsOthersOut(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let lease = try #require(try await storage.first.lease(key))
        storage.advance(by: .seconds(29))
        try await storage.first.extendLease(lease)
        storage.advance(by: .seconds(29))
        #expect(try await storage.second.lease(key) == nil)
        storage.advance(by: .seconds(2))
        #expect(try await storage.second.lease(key) != nil)
    }

    @Test(arguments: StorageKind.allCases) func aLeaseThatWasGivenBackIsNotExtended(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let lease = try #require(try await storage.first.lease(key))
        await storage.first.releaseLease(lease)
        #expect(await failure { try await storage.first.extendLease(lease) }?.code == .leaseLost)
        #expect(try await storage.second.lease(key) != nil)
    }

    @Test(arguments: StorageKind.allCases) func aLateHolderOverwritesNothing(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let late = try #require(try await storage.first.lease(key))
        storage.advance(by: .seconds(31))
        let next = try #require(try await storage.second.lease(key))
        try await storage.second.save(.named("newer"), for: key, under: next)
        let attempts: [@Sendable () async throws -> Void] = [
            { try await storage.first.save(.named("older"), for: key, under: late) },
            { try await storage.first.save(nil, for: key, under: late) },
            { try await storage.first.extendLease(late) },
        ]
        for attempt in attempts { #expect(await failure(attempt)?.code == .leaseLost) }
        await storage.first.releaseLease(late)
        #expect(try await storage.first.lease(key) == nil, "the late holder gave back another's lease")
        // After the later holder has released it, the earlier one is still refused.
        await storage.second.releaseLease(next)
        for attempt in attempts { #expect(await failure(attempt)?.code == .leaseLost) }
        #expect(try await storage.first.tokens(for: key)?.accessToken.value == "newer")
    }

    /// Without a newer renewal, the tokens that the server issued are kept.
    @Test(arguments: StorageKind.allCases) func aLateHolderThatIsAloneMaySave(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let lease = try #require(try await storage.first.lease(key))
        storage.advance(by: .seconds(300))
        try await storage.first.save(.named("a"), for: key, under: lease)
        #expect(try await storage.second.tokens(for: key)?.accessToken.value == "a")
    }

    @Test(
        arguments: StorageKind.allCases,
        [0, UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max]
    ) func aLeaseThatWasNeverGivenIsRefused(kind: StorageKind, fence: UInt64) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        try await storage.first.save(.named("a"), for: key)
        let lease = try #require(try await storage.first.lease(key))
        let made = OAuth2Lease(key: key, fence: fence)
        #expect(await failure { try await storage.first.save(.named("b"), for: key, under: made) }?.code == .leaseLost)
        #expect(await failure { try await storage.first.save(nil, for: key, under: made) }?.code == .leaseLost)
        #expect(await failure { try await storage.first.extendLease(made) }?.code == .leaseLost)
        await storage.first.releaseLease(made)
        #expect(try await storage.second.lease(key) == nil)
        #expect(try await storage.second.tokens(for: key)?.accessToken.value == "a")
        try await storage.first.save(.named("c"), for: key, under: lease)
    }

    /// The new pair may be the only one that still works, so cancelling must not lose it.
    @Test(arguments: StorageKind.allCases) func aCancelledTaskStillWritesAndGivesBack(kind: StorageKind) async throws {
        let (storage, key) = (try await SharedStorage(kind), try OAuth2TokenKey.number(1))
        let task = Task {
            try await storage.first.withLease(for: key, duration: .seconds(30), until: { nil }) { lease in
                #expect(try await storage.second.lease(key) == nil)
                withUnsafeCurrentTask { $0?.cancel() }
                try await storage.first.save(.named("a"), for: key, under: lease)
            }
        }
        try await task.value
        #expect(try await storage.second.tokens(for: key)?.accessToken.value == "a")
        #expect(try await storage.second.lease(key) != nil)
    }
}
