internal import HttpConvConcurrency
public import HttpConvPlatform
internal import Synchronization

/// A vault that a passcode locks: encrypted, and shared between processes.
///
/// A try is counted on the disk before the passcode is looked at, and one process tries at a time. After the last wrong
/// try that the policy allows, the vault is wiped: its key is overwritten first, then the files are removed. An unused
/// vault is locked after ``lockTimeout``, in each process by its own clock. <doc:PasscodeVaults> has the rules.
public final class PasscodeVault: Sendable {
    /// The vault's directory.
    public let directory: URL
    let configuration: PasscodeVaultConfiguration
    /// The vault's id; another vault in the same directory has another.
    let vaultID: [UInt8]
    let memory = Mutex(VaultMemory())
    private let changes = Broadcast<PasscodeVaultState>(backlog: 8)
    private let sleepWatch = Mutex<SleepWatch?>(nil)

    init(_ directory: URL, _ configuration: PasscodeVaultConfiguration, _ found: VaultFiles.Found) {
        self.directory = directory
        self.configuration = configuration
        vaultID = found.slot.vaultID
        memory.withLock { $0.lockTimeout = found.tries.policy.lockTimeout }
        guard configuration.locksOnSleep else { return }
        sleepWatch.withLock { $0 = SleepWatch { [weak self] in self?.lock() } }
    }

    deinit { memory.withLock { $0.exchange(watch: nil)?.cancel() } }

    /// Opens the vault in a directory; it is locked. Finishes an interrupted wipe.
    ///
    /// - Throws: ``PasscodeVaultError/Code/notFound``, ``PasscodeVaultError/Code/wiped`` if a wipe was finished,
    ///   ``PasscodeVaultError/Code/damaged``, ``PasscodeVaultError/Code/insecurePermissions``, …
    public static func open(
        at directory: URL, configuration: PasscodeVaultConfiguration = PasscodeVaultConfiguration()
    ) throws(PasscodeVaultError) -> PasscodeVault {
        do {
            // If we get the lock, finish an interrupted wipe.
            guard let files = try VaultFiles.tryTake(directory, configuration) else {
                return PasscodeVault(directory, configuration, try VaultFiles.look(directory))
            }
            defer { files.directory.unlock() }
            return PasscodeVault(directory, configuration, try files.recover())
        } catch {
            throw PasscodeVaultFailure.error(error)
        }
    }

    /// Whether a directory has a vault, damaged or not.
    public static func exists(at directory: URL) -> Bool {
        do {
            _ = try VaultFiles.look(directory)
            return true
        } catch {
            return ![.notFound, .wiped].contains(PasscodeVaultFailure.error(error).code)
        }
    }

    // MARK: State

    /// The state of the vault in this process.
    public var state: PasscodeVaultState {
        lockIfIdle()
        return memory.withLock { $0.state }
    }

    /// Each change of ``state`` from now on.
    public func states() -> AsyncStream<PasscodeVaultState> { changes.listen() }

    /// The time without use after which the vault is locked, as far as this process knows; zero: it is not locked by
    /// time.
    public var lockTimeout: Duration { memory.withLock { $0.lockTimeout } }

    /// The key, to be kept in kernel memory or a keychain while the vault is unlocked; nil while it is locked.
    public var key: PasscodeVaultKey? {
        lockIfIdle()
        return memory.withLock { $0.open?.key }
    }

    /// The number of wrong tries left before the vault is wiped; nil: unlimited, or the vault has no passcode.
    public func attemptsLeft() async throws(PasscodeVaultError) -> Int? {
        let found = try await look()
        return found.slot.hasPasscode ? found.tries.left : nil
    }

    /// The policy. While the vault is locked this is the file's copy, which anyone with write access can change; the
    /// vault's own copy counts from the next unlocking.
    public func policy() async throws(PasscodeVaultError) -> PasswordPolicy { try await look().tries.policy }

    /// Whether the vault has a passcode; without one, `nil` unlocks it.
    public func hasPasscode() async throws(PasscodeVaultError) -> Bool { try await look().slot.hasPasscode }

    func look() async throws(PasscodeVaultError) -> VaultFiles.Found {
        do {
            let found = try await Blocking.run { [directory] in try VaultFiles.look(directory) }
            guard found.slot.vaultID == vaultID else { throw PasscodeVaultFailure.wiped }
            return found
        } catch {
            throw wipedIfMissing(PasscodeVaultFailure.error(error))
        }
    }

    /// Marks the vault as wiped if its files have disappeared.
    func wipedIfMissing(_ error: PasscodeVaultError) -> PasscodeVaultError {
        guard [.notFound, .wiped].contains(error.code) else { return error }
        end(as: .wiped)
        return PasscodeVaultFailure.wiped
    }

    // MARK: Locking

    /// Locks the vault at once: overwrites its keys in memory, and drops what was read. Other processes are not
    /// affected.
    public func lock() { end(as: .locked) }

    /// Returns when the vault is unlocked here.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wiped``, ``PasscodeVaultError/Code/cancelled`` if the task is cancelled
    public func waitUntilUnlocked() async throws(PasscodeVaultError) {
        // Listen before asking, so that no change in between is missed.
        var changes = states().makeAsyncIterator()
        var next: PasscodeVaultState? = state
        while let state = next {
            switch state {
            case .locked: next = await changes.next(isolation: #isolation)
            case .unlocked: return
            case .wiped: throw PasscodeVaultFailure.wiped
            }
        }
        throw PasscodeVaultFailure.cancelled
    }

    /// Ends the use of the vault here, and voids an unlocking in progress.
    func end(as content: VaultMemory.Content) {
        release(
            memory.withLock { memory in
                memory.lockings += 1
                return memory.forget(content)
            })
    }

    /// Locks the vault after its timeout. An unlocking in progress goes on: the person is entering the passcode right now.
    func lockIfIdle() {
        let now = configuration.clock.uptime
        if let former = memory.withLock({ $0.isIdle(at: now) ? $0.forget(.locked) : nil }) { release(former) }
    }

    private func release(_ former: VaultMemory.Former) {
        former.watch?.cancel()
        former.open?.vault.forgetKeys()
        // The files may be put back from a copy; then only the passcode opens them.
        if former.change == .wiped { forbidBiometry() }
        // Closing waits for reads in progress.
        if let open = former.open { Task { try? await open.vault.close() } }
        if let change = former.change { changes.tell(change) }
    }

    /// Installs an opened vault, unless it was locked since the unlocking began.
    ///
    /// - Parameter lockings: ``VaultMemory/lockings`` when the unlocking began
    func keep(_ opened: OpenedVault, since lockings: Int) throws {
        let now = configuration.clock.uptime
        let (isKept, former) = memory.withLock { memory -> (Bool, VaultMemory.Open?) in
            guard memory.lockings == lockings, memory.state != .wiped else { return (false, nil) }
            let former = memory.open
            // The passcode may have been changed since the former one was opened.
            former?.vault.adoptKeys(of: opened.vault)
            memory.content = .unlocked(
                VaultMemory.Open(vault: former?.vault ?? opened.vault, key: opened.key, lastUse: now))
            return (true, former)
        }
        if former != nil || !isKept { Task { try? await opened.vault.close() } }
        guard isKept else { throw PasscodeVaultFailure.locked }
        adopt(opened.record.policy)
        if former == nil { changes.tell(.unlocked) }
    }

    /// Applies a policy's timeout from now on.
    func adopt(_ policy: PasswordPolicy) {
        let watch = Task { [weak self, clock = configuration.clock] in
            while let left = self?.timeLeft, !Task.isCancelled {
                if left > .zero { try? await clock.sleep(for: left) } else { self?.lockIfIdle() }
            }
        }
        let former = memory.withLock { memory in
            memory.lockTimeout = policy.lockTimeout
            return memory.exchange(watch: watch)
        }
        former?.cancel()
    }

    private var timeLeft: Duration? {
        let now = configuration.clock.uptime
        return memory.withLock { $0.left(at: now) }
    }
}

extension PasscodeVault: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "PasscodeVault(\(directory.path))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["directory": directory.path]) }
}
