import Foundation
import HttpConvConcurrency
import HttpConversationTesting
import Synchronization

@testable import HttpConvVault

/// A place for a vault, removed with this value.
final class VaultPlace: Sendable {
    let root: URL
    let clock = TestClock()
    var directory: URL { root.appendingPathComponent("vault") }

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("VaultTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    var options: PasscodeVaultConfiguration { .cheap { $0.clock = VaultTestClock(clock: clock) } }

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

/// A clock that a test advances, and real pauses for a directory's lock, whose holder does not use this clock.
private struct VaultTestClock: WallClock {
    let clock: TestClock
    var date: Date { clock.date }
    var uptime: Duration { clock.uptime }

    func sleep(for duration: Duration) async throws {
        if duration < .milliseconds(100) { return try await Task.sleep(for: duration) }
        try await clock.sleep(for: duration)
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
) async -> PasscodeVaultError.Code? { await thrown(PasscodeVaultError.self, body)?.code }
