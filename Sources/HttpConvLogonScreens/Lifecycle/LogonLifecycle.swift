import HttpConvConcurrency
public import HttpConvLogon
import HttpConvVault
import HttpConversation
public import Observation

/// Locks a logon's vault when the application was in the background for longer than the policy allows
/// (`PasswordPolicy.lockTimeout`), covers the content whenever the application is not used, and asks the person to
/// unlock on the return.
///
/// ```swift
/// let lifecycle = LogonLifecycle(logon: logon, unlocker: dialogue)
/// // SwiftUI; other toolkits call `sceneChanged(to:of:)` and show a cover.
/// ContentView().logonLifecycle(lifecycle, model: model)
/// ```
/// One account is in use at a time: ``use(_:unlocker:)`` changes to another one.
@MainActor @Observable
public final class LogonLifecycle {
    /// The state of an application's scene.
    public enum Phase: Hashable, Sendable {
        /// In use.
        case active
        /// Visible and not used, such as in the application switcher.
        case inactive
        /// Not visible.
        case background
    }

    /// Whether the content must be hidden now.
    public private(set) var isCovered = false
    /// Whether the person has declined to unlock, and a button offers it: ``askToUnlock()``.
    public private(set) var isLocked = false
    /// The logon of the account in use.
    public private(set) var logon: Logon
    @ObservationIgnored private var unlocker: any LogonUnlocker
    @ObservationIgnored private let clock: any WallClock
    @ObservationIgnored private var machine = LogonLifecycleMachine()
    @ObservationIgnored private var phases = ScenePhases()
    /// The latest of the actions, which run in order.
    @ObservationIgnored private var actions: Task<Void, Never>?

    /// - Parameters:
    ///   - logon: the logon of the account in use
    ///   - unlocker: asks the person, such as a `LogonDialogue`
    public convenience init(logon: Logon, unlocker: any LogonUnlocker) {
        self.init(logon: logon, unlocker: unlocker, clock: SystemClock())
    }

    init(logon: Logon, unlocker: any LogonUnlocker, clock: any WallClock) {
        self.logon = logon
        self.unlocker = unlocker
        self.clock = clock
    }

    /// Follows the scene of an application that has one.
    public func sceneChanged(to phase: Phase) { sceneChanged(to: phase, of: "") }

    /// Follows one of several scenes: the application is used while one of them is.
    ///
    /// - Parameters:
    ///   - phase: the phase that the scene is in now
    ///   - scene: names the scene, such as `UISceneSession.persistentIdentifier`
    public func sceneChanged(to phase: Phase, of scene: String) { follow(phases.note(phase, of: scene)) }

    /// Forgets a scene that is gone.
    public func sceneEnded(_ scene: String) { follow(phases.note(nil, of: scene)) }

    private func follow(_ phase: Phase?) {
        switch phase {
        case .active: handle(.returned(at: clock.uptime))
        case .inactive: handle(.resigned)
        case .background: handle(.left(at: clock.uptime))
        case nil: break
        }
    }

    /// Locks the vault, because the device was locked.
    public func deviceLocked() { handle(.deviceLocked) }

    /// Asks the person to unlock once more.
    public func askToUnlock() { handle(.asked) }

    /// Changes to another account: the vault of the one before is locked.
    ///
    /// - Parameters:
    ///   - logon: of `LogonAccounts`
    ///   - unlocker: asks for its passcode
    public func use(_ logon: Logon, unlocker: any LogonUnlocker) {
        guard logon !== self.logon else { return }
        handle(.switched)
        self.logon = logon
        self.unlocker = unlocker
    }

    /// Returns when everything that the events so far have caused is done.
    func settle() async {
        while let current = actions {
            await current.value
            if actions == current { actions = nil }
        }
    }

    private func handle(_ event: LogonLifecycleMachine.Event) {
        let wanted = machine.handle(event)
        (isCovered, isLocked) = (machine.isCovered, machine.state == .locked)
        for action in wanted { perform(action) }
    }

    private func perform(_ action: LogonLifecycleMachine.Action) {
        let (logon, unlocker, before) = (logon, unlocker, actions)
        switch action {
        case .lock:
            // At once: it ends the question that may be shown.
            actions = Task {
                try? await logon.lock()
                await before?.value
            }
        case .judge(let away):
            actions = Task { [weak self] in
                await before?.value
                let mustLock = await Self.mustLock(logon, after: away)
                guard let self, self.logon === logon else { return }
                handle(.judged(away: away, mustLock: mustLock))
            }
        case .unlock:
            actions = Task { [weak self] in
                await before?.value
                do { try await unlocker.unlock(logon) } catch {}
                let isOpen = await logon.state != .locked
                guard let self, self.logon === logon else { return }
                handle(.unlockEnded(isOpen: isOpen))
            }
        }
    }

    /// Whether the vault must be locked after a time in the background. A policy that cannot be read locks it.
    static func mustLock(_ logon: Logon, after away: Duration) async -> Bool {
        switch await logon.state {
        case .nothing, .registered: return false
        // By its own timeout, or by another process.
        case .locked: return true
        case .unlocked:
            guard let policy = try? await logon.passwordPolicy() else { return true }
            return policy.mustLock(after: away)
        }
    }
}

extension PasswordPolicy {
    /// Whether a vault must be locked after a time without use.
    func mustLock(after idle: Duration) -> Bool { lockTimeout > .zero && idle >= lockTimeout }
}
