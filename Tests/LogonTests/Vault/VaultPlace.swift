import DataVault
import Foundation
import MobileServices
import Synchronization

@testable import Logon

/// A place for a vault that goes away with the value.
final class VaultPlace: Sendable {
    let root: URL
    let clock = VaultClock()
    var directory: URL { root.appendingPathComponent("vault") }

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("VaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    var options: PasscodeVaultOptions { .cheap { $0.clock = clock.clock } }

    func create(
        _ passcode: String? = "right-0001", _ policy: PasswordPolicy = PasswordPolicy()
    ) async throws -> PasscodeVault {
        try await PasscodeVault.create(at: directory, passcode: passcode, policy: policy, options: options)
    }

    func open() throws -> PasscodeVault { try PasscodeVault.open(at: directory, options: options) }

    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }
}

/// Clocks that go when told to.
final class VaultClock: Sendable {
    private let state = Mutex((time: Duration.zero, date: Date(timeIntervalSince1970: 1_800_000_000)))
    private let sleepers = Mutex<[(until: Duration, waker: AsyncStream<Void>.Continuation)]>([])

    var clock: PasscodeVaultClock {
        PasscodeVaultClock(
            now: { self.state.withLock { $0.time } }, date: { self.state.withLock { $0.date } },
            sleep: { try await self.sleep($0) })
    }

    /// Time goes by, also on the calendar.
    func advance(_ time: Duration) {
        set(by: time)
        state.withLock { $0.time += time }
        let now = state.withLock { $0.time }
        let due = sleepers.withLock { sleepers in
            defer { sleepers.removeAll { $0.until <= now } }
            return sleepers.filter { $0.until <= now }
        }
        for sleeper in due { sleeper.waker.finish() }
    }

    /// Somebody sets the date.
    func set(by time: Duration) { state.withLock { $0.date += Double(time.components.seconds) } }

    /// Who waits for the lock of a directory waits in real time: its holder does not go by this clock.
    private func sleep(_ time: Duration) async throws {
        if time < .milliseconds(100) { return try await Task.sleep(for: time) }
        let (woken, waker) = AsyncStream<Void>.makeStream()
        let until = state.withLock { $0.time } + time
        sleepers.withLock { $0.append((until, waker)) }
        for await _ in woken {}
        try Task.checkCancellation()
    }
}

extension PasscodeVaultOptions {
    /// Passcodes that cost next to nothing.
    static func cheap(_ change: (inout PasscodeVaultOptions) -> Void = { _ in }) -> PasscodeVaultOptions {
        var options = PasscodeVaultOptions()
        options.scrypt = try? ScryptParameters(cost: 16, blockSize: 1, parallelism: 1)
        change(&options)
        return options
    }

    /// - Parameter time: how often the point is reached until then
    static func dying(at point: String, _ time: Int = 1) -> PasscodeVaultOptions {
        let reached = Atomic(0)
        let count: @Sendable () -> Int = { reached.add(1, ordering: .relaxed).newValue }
        return .cheap { $0.failPoint = { if $0.rawValue == point, count() == time { kill(getpid(), SIGKILL) } } }
    }
}

extension PasswordPolicy {
    init(_ change: (inout PasswordPolicy) -> Void) {
        self.init()
        change(&self)
    }
}

/// The code of the error that a closure throws; nil where it throws none, or one that is not the vault's.
func vaultCode(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async -> PasscodeVaultError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? PasscodeVaultError)?.code
    }
}
