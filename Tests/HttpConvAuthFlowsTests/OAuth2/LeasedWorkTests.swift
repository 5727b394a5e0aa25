import Foundation
import HttpConvConcurrency
import Testing

@Suite("OAuth2: leases around work", .timeLimit(.minutes(1)))
struct LeasedWorkTests {
    /// Otherwise an extension in flight at the work's end would revive the lease after its release.
    @Test(arguments: [true, false]) func anExtensionOnItsWayIsOverBeforeTheRelease(succeeds: Bool) async throws {
        struct Refusal: Error {}
        let calls = Box<[String]>([])
        // Open once an extension has begun; extensions last until they are released, and ignore cancellation.
        let (extending, letGo) = (Gate(), Gate())
        let holding = Task {
            try await LeasedWork.run(waitingFor: nil) {
                1
            } wait: {
                nil
            } extend: { _ in
                try await Task.sleep(for: .milliseconds(1))
                calls.update { $0.append("extend") }
                extending.open()
                await letGo.pass()
                calls.update { $0.append("extended") }
            } release: { _ in
                calls.update { $0.append("release") }
            } _: { lease in
                await extending.pass()
                if !succeeds { throw Refusal() }
                return lease
            }
        }
        await extending.pass()
        // The work ends now; nothing else happens until the extension is released.
        let end = ContinuousClock.now + .milliseconds(200)
        while calls.value == ["extend"], ContinuousClock.now < end { await Task.yield() }
        #expect(calls.value == ["extend"])
        letGo.open()
        #expect(((try? await holding.value) != nil) == succeeds)
        #expect(calls.value == ["extend", "extended", "release"])
    }
}
