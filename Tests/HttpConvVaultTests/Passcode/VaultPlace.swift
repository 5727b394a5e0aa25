import Foundation
import Synchronization

@testable import HttpConvVault

/// A place for a vault, removed with this value.
final class VaultPlace: Sendable {
    let root: URL
    let clock = ManualVaultClock()
    var directory: URL { root.appendingPathComponent("vault") }

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("VaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    var options: PasscodeVaultConfiguration { .cheap { $0.clock = clock.clock } }

    func create(
        _ passcode: String? = "right-0001", _ policy: PasswordPolicy = PasswordPolicy()
    ) async throws -> PasscodeVault {
        try await PasscodeVault.create(at: directory, passcode: passcode, policy: policy, configuration: options)
    }

    func open() throws -> PasscodeVault { try PasscodeVault.open(at: directory, configuration: options) }

    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }
}

/// Clocks that a test advances.
final class ManualVaultClock: Sendable {
    private let state = Mutex((time: Duration.zero, date: Date(timeIntervalSince1970: 1_800_000_000)))
    private let sleepers = Mutex<[(until: Duration, waker: AsyncStream<Void>.Continuation)]>([])

    var clock: VaultClock {
        VaultClock(
            now: { self.state.withLock { $0.time } }, date: { self.state.withLock { $0.date } },
            sleep: { try await self.sleep($0) })
    }

    /// Advances the time and the date.
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

    /// Sets the date without advancing the time.
    func set(by time: Duration) { state.withLock { $0.date += Double(time.components.seconds) } }

    /// Waits for a directory's lock run in real time: its holder does not use this clock.
    private func sleep(_ time: Duration) async throws {
        if time < .milliseconds(100) { return try await Task.sleep(for: time) }
        let (woken, waker) = AsyncStream<Void>.makeStream()
        let until = state.withLock { $0.time } + time
        sleepers.withLock { $0.append((until, waker)) }
        for await _ in woken {}
        try Task.checkCancellation()
    }
}

extension PasscodeVaultConfiguration {
    /// Options whose passcodes are very cheap.
    static func cheap(_ change: (inout PasscodeVaultConfiguration) -> Void = { _ in }) -> PasscodeVaultConfiguration {
        var options = PasscodeVaultConfiguration()
        options.scrypt = try? ScryptParameters(cost: 16, blockSize: 1, parallelism: 1)
        change(&options)
        return options
    }

    /// - Parameter time: the number of times that the point must be reached
    static func dying(at point: String, _ time: Int = 1) -> PasscodeVaultConfiguration {
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

/// The code of a closure's error; nil if it throws none, or an error of another type.
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
