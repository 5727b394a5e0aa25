import Foundation
import Synchronization

/// Only rotates tokens, and is killed at a random moment.
///
/// Its journal: `B` started, `L` a login was needed, `O` the first conversation has succeeded, `s` a refresh is about
/// to be sent, `r` its answer has arrived, `c` the new tokens are committed.
struct RotatingVictim: Sendable {
    private let client: VaultClient
    private let journal: Journal
    private let hours = Hours()

    init(_ client: VaultClient, _ journal: Journal) {
        self.client = client
        self.journal = journal
    }

    func run() async throws -> Outcome {
        let url = client.server + "/api/rotating"
        let watch = watch
        let storage = try await client.storage(watch: watch)
        let ahead = { @Sendable [client, hours] in client.ahead + hours.seconds }
        let manager = try client.manager(on: storage, watch: watch, ahead: ahead)
        journal.note("B")
        var outcome = await Outcome.of(manager, url)
        if outcome == .loginNeeded {
            journal.note("L")
            outcome = await Outcome.of(try client.person.manager(on: storage, watch: nil, ahead: ahead), url)
        }
        if outcome == .succeeded { journal.note("O") }
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 1_000...60_000))) {
            kill(getpid(), SIGKILL)
        }
        // An hour passes between conversations, so that each of them renews the tokens.
        while outcome == .succeeded {
            hours.pass()
            outcome = await Outcome.of(manager, url)
        }
        return outcome
    }

    private var watch: RotationWatch {
        RotationWatch { [journal] step in
            switch step {
            case .beforeSend: journal.note("s")
            case .afterReceive: journal.note("r")
            case .afterCommit: journal.note("c")
            default: break
            }
        }
    }
}

/// Writes one letter after the other; they survive a kill of the process.
struct Journal: Sendable {
    private let descriptor: Int32

    init(_ path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600) }

    func note(_ letter: String) { _ = write(descriptor, letter, 1) }
}

/// The accelerated time of the client.
private final class Hours: Sendable {
    private let count = Atomic(0)

    var seconds: Double { Double(count.load(ordering: .relaxed)) * 3600 }
    func pass() { count.add(1, ordering: .relaxed) }
}
