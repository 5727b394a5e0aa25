import Foundation
import HttpConvConcurrency
import HttpConvLogon
import HttpConvVault
import HttpConversation
import Synchronization
import Testing

@testable import HttpConvLogonScreens

/// A registered logon whose application goes to the background and returns.
@Suite("Logons in the background", .timeLimit(.minutes(1))) struct LogonLifecycleTests {
    /// A clock that only tests move. Not the vault's, whose own timeout is another one.
    private final class Clock: WallClock {
        private let now = Mutex(Duration.seconds(1000))
        var date: Date { SystemClock().date }
        var uptime: Duration { now.withLock { $0 } }
        func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
        func advance(by time: Duration) { now.withLock { $0 += time } }
    }

    /// A person who enters passcodes, in order; nil declines.
    private final class Person: LogonUnlocker {
        private let passcodes: Mutex<[String?]>
        init(_ passcodes: [String?]) { self.passcodes = Mutex(passcodes) }
        var left: Int { passcodes.withLock { $0.count } }

        func unlock(_ logon: Logon) async throws {
            let passcode = passcodes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let passcode else { throw CancellationError() }
            try await logon.unlock(passcode: passcode)
        }
    }

    @MainActor private func leave(_ lifecycle: LogonLifecycle, _ clock: Clock, for time: Duration) async {
        lifecycle.sceneChanged(to: .inactive)
        #expect(lifecycle.isCovered)
        lifecycle.sceneChanged(to: .background)
        clock.advance(by: time)
        lifecycle.sceneChanged(to: .active)
        // Until it is decided, nothing is shown.
        #expect(lifecycle.isCovered)
        await lifecycle.settle()
    }

    @Test func aShortTimeLocksNothing() async throws { try await withLogon { try await aShortTimeLocksNothing($0) } }

    @MainActor private func aShortTimeLocksNothing(_ bench: LogonBench) async throws {
        let (logon, clock, person) = (try await bench.registered(), Clock(), Person([]))
        let lifecycle = LogonLifecycle(logon: logon, unlocker: person, clock: clock)
        await leave(lifecycle, clock, for: try await logon.passwordPolicy().lockTimeout - .seconds(1))
        #expect(!lifecycle.isCovered && !lifecycle.isLocked)
        #expect(await logon.state == .unlocked)
    }

    @Test func aLongTimeLocks() async throws { try await withLogon { try await aLongTimeLocks($0) } }

    @MainActor private func aLongTimeLocks(_ bench: LogonBench) async throws {
        let (logon, clock) = (try await bench.registered(), Clock())
        let person = Person([LogonBench.passcode, nil, LogonBench.passcode])
        let lifecycle = LogonLifecycle(logon: logon, unlocker: person, clock: clock)
        let limit = try await logon.passwordPolicy().lockTimeout
        let states = Task { [states = logon.states()] in
            var seen: [LogonState] = []
            for await state in states.prefix(4) { seen.append(state) }
            return seen
        }
        await leave(lifecycle, clock, for: limit)
        #expect(!lifecycle.isCovered && person.left == 2)
        // The person declines, and then wants to.
        await leave(lifecycle, clock, for: limit)
        #expect(lifecycle.isCovered && lifecycle.isLocked)
        #expect(await logon.state == .locked)
        lifecycle.askToUnlock()
        await lifecycle.settle()
        #expect(!lifecycle.isCovered && !lifecycle.isLocked)
        #expect(await states.value == [.locked, .unlocked, .locked, .unlocked])
    }

    @Test func theDevicesLockLocks() async throws { try await withLogon { try await theDevicesLockLocks($0) } }

    @MainActor private func theDevicesLockLocks(_ bench: LogonBench) async throws {
        let (logon, person) = (try await bench.registered(), Person([LogonBench.passcode]))
        let lifecycle = LogonLifecycle(logon: logon, unlocker: person, clock: Clock())
        lifecycle.sceneChanged(to: .background)
        lifecycle.deviceLocked()
        await lifecycle.settle()
        #expect(await logon.state == .locked)
        lifecycle.sceneChanged(to: .active)
        await lifecycle.settle()
        #expect(!lifecycle.isCovered)
        #expect(await logon.state == .unlocked)
    }

    /// A registration that has no vault yet would be lost.
    @Test func withoutAVaultNothingIsLocked() async throws {
        try await withLogon { try await withoutAVaultNothingIsLocked($0) }
    }

    @MainActor private func withoutAVaultNothingIsLocked(_ bench: LogonBench) async throws {
        let (logon, clock) = (try bench.logon(), Clock())
        let lifecycle = LogonLifecycle(logon: logon, unlocker: Person([]), clock: clock)
        await leave(lifecycle, clock, for: .seconds(1 << 20))
        #expect(!lifecycle.isCovered)
        #expect(await logon.state == .nothing)
    }

    @Test func anotherAccountLocksTheFirst() async throws {
        try await withLogon { try await anotherAccountLocksTheFirst($0) }
    }

    @MainActor private func anotherAccountLocksTheFirst(_ bench: LogonBench) async throws {
        let (first, second) = (try await bench.registered(), try bench.logon())
        let lifecycle = LogonLifecycle(logon: first, unlocker: Person([]), clock: Clock())
        lifecycle.use(first, unlocker: Person([]))
        await lifecycle.settle()
        #expect(await first.state == .unlocked)
        lifecycle.use(second, unlocker: Person([]))
        await lifecycle.settle()
        #expect(await first.state == .locked)
        #expect(lifecycle.logon === second && !lifecycle.isCovered)
    }

    // MARK: Fingerprint or face

    /// The keychain's place, with a person who consents.
    private final class KeptKeys: BiometricKeys {
        private let keys = Mutex<[String: [UInt8]]>([:])
        func keep(_ key: [UInt8], as name: String) { keys.withLock { $0[name] = key } }
        func release(_ name: String) throws(PasscodeVaultError) -> [UInt8] {
            guard let key = keys.withLock({ $0[name] }) else {
                throw PasscodeVaultError(.biometryUnavailable, "There is no key.")
            }
            return key
        }
        func holds(_ name: String) -> Bool { keys.withLock { $0[name] != nil } }
        func remove(_ name: String) { keys.withLock { $0[name] = nil } }
    }

    /// A view that nobody looks at.
    private struct NoView: LogonView {
        func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
            guard screen.kind == .activity else { throw LogonError(.operationNotAllowed, "Asked: \(screen.title)") }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return .cancelled
        }
        func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {}
        func close() async {}
    }

    @Test func aFingerOpensAfterTheBackground() async throws {
        try await withLogon { try await aFingerOpensAfterTheBackground($0) }
    }

    @MainActor private func aFingerOpensAfterTheBackground(_ bench: LogonBench) async throws {
        let (logon, clock) = (try bench.logon(biometricKeys: KeptKeys()), Clock())
        let refused = await #expect(throws: LogonError.self) { try await logon.allowBiometry() }
        #expect(refused?.code == .operationNotAllowed)
        #expect(await !logon.isBiometryReady())
        try await logon.register(bench.input())
        try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
        #expect(await !logon.isBiometryReady())
        try await logon.allowBiometry()
        var dialogue = LogonDialogue(logon: logon, view: NoView(), multiplexer: UserInteractionMultiplexer())
        dialogue.biometry = .system(logon)
        let lifecycle = LogonLifecycle(logon: logon, unlocker: dialogue, clock: clock)
        await leave(lifecycle, clock, for: try await logon.passwordPolicy().lockTimeout)
        #expect(!lifecycle.isCovered)
        #expect(try await bench.backEnd(logon).user == "alice")
        // Only the passcode from now on.
        try await logon.forbidBiometry()
        await leave(lifecycle, clock, for: try await logon.passwordPolicy().lockTimeout)
        #expect(lifecycle.isLocked)
        #expect(await logon.state == .locked)
    }
}
