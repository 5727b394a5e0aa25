/// Decides what a ``Logon`` may do: event in, action out. It never waits, and knows neither vault nor server.
struct LogonStateMachine: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        case begin(LogonOperation)
        case end(LogonOperation, succeeded: Bool)
        /// The vault was locked by its timeout, or by another process.
        case vaultLocked
        /// The vault was wiped after the last try, or by another process.
        case vaultGone
        /// Another process has made the vault.
        case vaultFound
    }

    enum Action: Hashable, Sendable {
        case nothing
        case perform
        case refuse(LogonError.Code)
        /// Cancel the running operation.
        case interrupt
        /// Lock the vault at once, and cancel the running operation.
        case lock
    }

    private(set) var state: LogonState
    private(set) var running: LogonOperation?
    /// Whether the vault was locked during an operation that opens it; then it stays locked.
    private var isLockedMeanwhile = false

    init(_ state: LogonState) { self.state = state }

    mutating func handle(_ event: Event) -> Action {
        switch event {
        case .begin(.cancel): return running == nil ? .nothing : .interrupt
        case .begin(.lock): return lock()
        case .begin(let operation): return begin(operation)
        case .end(let operation, let succeeded): return end(operation, succeeded)
        case .vaultLocked:
            if state == .unlocked { state = .locked }
            return .nothing
        case .vaultGone:
            if state == .locked || state == .unlocked { state = .nothing }
            return .nothing
        case .vaultFound:
            // A registration in progress learns of it when it makes its vault.
            if state == .registered || (state == .nothing && running == nil) { state = .locked }
            return .nothing
        }
    }

    // MARK: Transitions

    private mutating func begin(_ operation: LogonOperation) -> Action {
        guard running == nil else { return .refuse(.operationExecutionInProgress) }
        if let code = Self.refusal(of: operation, in: state) { return .refuse(code) }
        running = operation
        isLockedMeanwhile = false
        return .perform
    }

    private mutating func lock() -> Action {
        guard state == .locked || state == .unlocked else { return .refuse(.operationNotAllowed) }
        state = .locked
        isLockedMeanwhile = true
        return .lock
    }

    private mutating func end(_ operation: LogonOperation, _ succeeded: Bool) -> Action {
        guard running == operation else { return .nothing }
        running = nil
        guard succeeded else { return .nothing }
        switch operation {
        case .register: state = .registered
        case .makeVault: state = .unlocked
        case .unlock, .changePasscode:
            // The vault was locked while it was being opened: lock it again.
            guard !isLockedMeanwhile else { return .lock }
            state = .unlocked
        case .unregister, .deleteUser: state = .nothing
        case .logon, .changeBackendPassword, .refreshSettings, .uploadTrace, .lock, .cancel: break
        }
        return .nothing
    }

    /// The error of an operation that the state does not allow; nil if it does.
    private static func refusal(of operation: LogonOperation, in state: LogonState) -> LogonError.Code? {
        switch (operation, state) {
        case (.register, .nothing), (.makeVault, .registered), (.unlock, .locked): nil
        case (.logon, .registered), (.logon, .unlocked): nil
        case (.uploadTrace, .registered), (.uploadTrace, .unlocked): nil
        case (.changePasscode, .locked), (.changePasscode, .unlocked): nil
        case (.changeBackendPassword, .unlocked), (.refreshSettings, .unlocked): nil
        case (.unregister, .registered), (.unregister, .unlocked): nil
        // Someone who forgot the passcode must be able to start over.
        case (.deleteUser, .registered), (.deleteUser, .locked), (.deleteUser, .unlocked): nil
        case (.register, _), (.unlock, .unlocked): .userAlreadyLoggedIn
        case (.changePasscode, _): .passcodeChangeNotEnabled
        default: .operationNotAllowed
        }
    }
}
