import Foundation
import Testing
package import VaultWorker

extension LandscapeProcess {
    /// Kills a process at a step of its first rotation, after a person has logged in.
    ///
    /// - Returns: the client, whose next process rotates as well
    package func killInRotation(_ client: VaultClient, at step: RotationStep) async throws -> VaultClient {
        var client = client
        client.lease = 300
        #expect(try await work(client.person, .request(path: "/api/first", times: 1)) == 0)
        client.ahead = 1_000_000
        let file = path("held")
        if step == .afterSend { try await order("hold?path=oauth2:token") }
        async let killed = work(client, .die(at: step, file: file))
        if step == .afterSend {
            try await wait { try await counters.tokenRequestsInFlight == 1 }
            try Data().write(to: URL(fileURLWithPath: file))
        }
        #expect(try await killed == 128 + SIGKILL)
        try await wait { try await counters.tokenRequestsInFlight == 0 }
        if step == .afterSend { try await order("release?path=oauth2:token") }
        return client
    }
}
