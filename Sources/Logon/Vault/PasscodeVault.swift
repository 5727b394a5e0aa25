public import Foundation
internal import HttpConvConcurrency
public import MobileServices
internal import Synchronization

/// The vault that a passcode locks: encrypted, and shared between processes.
///
/// A try is counted, on the disk, before the passcode is looked at, and one process tries at a time; after the last wrong
/// try that the policy allows the vault is wiped: what opens it is overwritten first, then the files go. Without use it
/// is locked after ``lockTimeout``, in each process by its own clock. <doc:Vault> has the rules.
public final class PasscodeVault: Sendable {
    /// Where the vault is.
    public let directory: URL
    let options: PasscodeVaultOptions
    /// Which vault this is about: another one in the same place is not it.
    let vaultID: [UInt8]
    let memory = Mutex(VaultMemory())
    private let changes = Broadcast<PasscodeVaultState>(backlog: 8)
    private let sleepWatch = Mutex<SleepWatch?>(nil)

    init(_ directory: URL, _ options: PasscodeVaultOptions, _ found: VaultFiles.Found) {
        self.directory = directory
        self.options = options
        vaultID = found.slot.vaultID
        memory.withLock { $0.lockTimeout = found.tries.policy.lockTimeout }
        guard options.locksOnSleep else { return }
        sleepWatch.withLock { $0 = SleepWatch { [weak self] in self?.lock() } }
    }

    deinit { memory.withLock { $0.exchange(watch: nil)?.cancel() } }

    /// Opens the vault in a directory; it is locked. What a killed process left of a wipe is finished.
    ///
    /// - Throws: ``PasscodeVaultError/Code/notFound``, ``PasscodeVaultError/Code/wiped`` where a wipe was finished,
    ///   ``PasscodeVaultError/Code/damaged``, ``PasscodeVaultError/Code/insecurePermissions``, …
    public static func open(
        at directory: URL, options: PasscodeVaultOptions = PasscodeVaultOptions()
    ) throws(PasscodeVaultError) -> PasscodeVault {
        do {
            // Whoever has the lock now finishes what there is to be finished.
            guard let files = try VaultFiles.tryTake(directory, options) else {
                return PasscodeVault(directory, options, try VaultFiles.look(directory))
            }
            defer { files.directory.unlock() }
            return PasscodeVault(directory, options, try files.settle())
        } catch {
            throw VaultFailure.error(error)
        }
    }

    /// Whether there is a vault in a directory that could be opened, or is damaged.
    public static func exists(at directory: URL) -> Bool {
        do {
            _ = try VaultFiles.look(directory)
            return true
        } catch {
            return ![.notFound, .wiped].contains(VaultFailure.error(error).code)
        }
    }

    // MARK: State

    /// Whether what is in the vault can be had here.
    public var state: PasscodeVaultState {
        lockIfIdle()
        return memory.withLock { $0.state }
    }

    /// Each change of ``state`` from now on.
    public func states() -> AsyncStream<PasscodeVaultState> { changes.listen() }

    /// After how long without use the vault is locked, as far as this process knows; zero: not by time.
    public var lockTimeout: Duration { memory.withLock { $0.lockTimeout } }

    /// The key, to be kept in kernel memory or a keychain while the vault is unlocked; nil while it is locked.
    public var key: PasscodeVaultKey? {
        lockIfIdle()
        return memory.withLock { $0.open?.key }
    }

    /// How many wrong tries are left before the vault is wiped; nil: any number, or no passcode of a person's own.
    public func attemptsLeft() async throws(PasscodeVaultError) -> Int? {
        let found = try await look()
        return found.slot.hasPasscode ? found.tries.left : nil
    }

    /// The policy. While the vault is locked this is what stands beside it, which whoever can write to the files can
    /// change; what the vault itself knows counts from the next unlocking.
    public func policy() async throws(PasscodeVaultError) -> PasswordPolicy { try await look().tries.policy }

    /// Whether a person has a passcode of their own; without, `nil` unlocks.
    public func hasPasscode() async throws(PasscodeVaultError) -> Bool { try await look().slot.hasPasscode }

    func look() async throws(PasscodeVaultError) -> VaultFiles.Found {
        do {
            let found = try await Blocking.run { [directory] in try VaultFiles.look(directory) }
            guard found.slot.vaultID == vaultID else { throw VaultFailure.wiped }
            return found
        } catch {
            throw gone(VaultFailure.error(error))
        }
    }

    /// A vault that was there and is not any more was wiped.
    func gone(_ error: PasscodeVaultError) -> PasscodeVaultError {
        guard [.notFound, .wiped].contains(error.code) else { return error }
        forget(to: .wiped)
        return VaultFailure.wiped
    }

    // MARK: Locking

    /// Locks the vault at once: its keys are overwritten in memory here, and what was read is let go of. Other processes
    /// have theirs.
    public func lock() { forget(to: .locked) }

    /// Returns when the vault is unlocked here.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wiped``, ``PasscodeVaultError/Code/cancelled`` where the task is cancelled
    public func waitUntilUnlocked() async throws(PasscodeVaultError) {
        // Heard before asked: no change is missed in between.
        var changes = states().makeAsyncIterator()
        var next: PasscodeVaultState? = state
        while let state = next {
            switch state {
            case .locked: next = await changes.next(isolation: #isolation)
            case .unlocked: return
            case .wiped: throw VaultFailure.wiped
            }
        }
        throw VaultFailure.cancelled
    }

    /// - Parameter idle: the time by which only a vault is locked that nobody has used for long enough
    func forget(to content: VaultMemory.Content, idle now: Duration? = nil) {
        let (former, watch, changed) = memory.withLock { memory in
            let (open, state) = (memory.open, memory.state)
            if let now {
                guard memory.isIdle(at: now) else { return (nil, nil, nil) as Forgotten }
            } else {
                // Whoever is unlocking comes too late; time alone stops nobody who enters the passcode now.
                memory.lockings += 1
            }
            // What was wiped stays so.
            if state != .wiped { memory.content = content }
            return (open, memory.exchange(watch: nil), memory.state == state ? nil : memory.state) as Forgotten
        }
        watch?.cancel()
        former?.vault.forgetKeys()
        // Waits for what is being read.
        if let former { Task { try? await former.vault.close() } }
        if let changed { changes.tell(changed) }
    }

    private typealias Forgotten = (VaultMemory.Open?, Task<Void, Never>?, PasscodeVaultState?)

    func lockIfIdle() { forget(to: .locked, idle: options.clock.now()) }

    /// Makes an opened vault the one that is used here, unless it was locked since.
    ///
    /// - Parameter lockings: ``VaultMemory/lockings`` when the unlocking began
    func keep(_ opened: OpenedVault, since lockings: Int) throws {
        let now = options.clock.now()
        let (isKept, former) = memory.withLock { memory -> (Bool, VaultMemory.Open?) in
            guard memory.lockings == lockings, memory.state != .wiped else { return (false, nil) }
            let former = memory.open
            // The passcode may have been changed since it was opened.
            former?.vault.adoptKeys(of: opened.vault)
            memory.content = .unlocked(
                VaultMemory.Open(vault: former?.vault ?? opened.vault, key: opened.key, lastUse: now))
            return (true, former)
        }
        if former != nil || !isKept { Task { try? await opened.vault.close() } }
        guard isKept else { throw VaultFailure.locked }
        adopt(opened.record.policy)
        if former == nil { changes.tell(.unlocked) }
    }

    /// Goes by a policy's time from now on.
    func adopt(_ policy: PasswordPolicy) {
        let watch = Task { [weak self, clock = options.clock] in
            while let left = self?.timeLeft, !Task.isCancelled {
                if left > .zero { try? await clock.sleep(left) } else { self?.lockIfIdle() }
            }
        }
        let former = memory.withLock { memory in
            memory.lockTimeout = policy.lockTimeout
            return memory.exchange(watch: watch)
        }
        former?.cancel()
    }

    private var timeLeft: Duration? {
        let now = options.clock.now()
        return memory.withLock { $0.left(at: now) }
    }
}

extension PasscodeVault: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the vault is; nothing of what is in it.
    public var description: String { "PasscodeVault(\(directory.path))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["directory": directory.path]) }
}
