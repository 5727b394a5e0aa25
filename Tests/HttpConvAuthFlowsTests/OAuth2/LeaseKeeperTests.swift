import Foundation
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: leases around work", .timeLimit(.minutes(1)))
struct LeaseKeeperTests {
    /// Otherwise an extension in flight at the work's end would revive the lease after its release.
    @Test(arguments: [true, false]) func anExtensionOnItsWayIsOverBeforeTheRelease(succeeds: Bool) async throws {
        struct Refusal: Error {}
        let storage = SlowStorage()
        let keeper = LeaseKeeper(storage: storage, clock: ContinuousClock(), duration: .milliseconds(3))
        let key = OAuth2TokenKey(storageURL: try TargetURL("https://s.example.com/"), supportName: "x")
        let holding = Task {
            try await keeper.hold(key, until: { nil }) { _ in
                await storage.extending.pass()
                if !succeeds { throw Refusal() }
                return 1
            }
        }
        await storage.extending.pass()
        // The work ends now; nothing else happens until the extension is released.
        let end = ContinuousClock.now + .milliseconds(200)
        while storage.calls.value == ["extend"], ContinuousClock.now < end { await Task.yield() }
        #expect(storage.calls.value == ["extend"])
        storage.letGo.open()
        #expect(((try? await holding.value) != nil) == succeeds)
        #expect(storage.calls.value == ["extend", "extended", "release"])
    }
}

/// A storage whose extensions last until they are released, and ignore cancellation.
private final class SlowStorage: OAuth2TokenStorage {
    let calls = Box<[String]>([])
    /// Open once an extension has begun.
    let extending = Gate()
    let letGo = Gate()

    func tokens(for key: OAuth2TokenKey) async -> OAuth2Tokens? { nil }
    func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async {}
    func removeTokens(for key: OAuth2TokenKey) async {}
    func removeAllTokens() async {}

    func acquireLease(for key: OAuth2TokenKey, duration: Duration) async -> OAuth2LeaseAnswer {
        .granted(OAuth2Lease(key: key, fence: 1, duration: duration))
    }

    func extendLease(_ lease: OAuth2Lease) async {
        calls.update { $0.append("extend") }
        extending.open()
        await letGo.pass()
        calls.update { $0.append("extended") }
    }

    func releaseLease(_ lease: OAuth2Lease) async { calls.update { $0.append("release") } }
}
