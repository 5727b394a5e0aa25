/// Decides what a ``Logon`` may do: event in, action out. It awaits nothing and knows no vault and no server.
struct LogonStateMachine: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        case begin(LogonOperation)
        case end(LogonOperation, succeeded: Bool)
        /// By its time limit, or by another process.
        case vaultLocked
        /// After the last try, or by another process.
        case vaultGone
    }

    enum Action: Hashable, Sendable {
        case nothing
        case perform
        case refuse(LogonError.Code)
        /// The running operation is to be cancelled.
        case interrupt
        /// The vault is to be locked at once, and what is running cancelled.
        case lock
    }

    private(set) var state: LogonState
    private(set) var running: LogonOperation?
    /// Whether the vault was locked while an operation ran that opens it: then it stays locked.
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
            // The vault was opened after it had been locked by somebody else's wish.
            guard !isLockedMeanwhile else { return .lock }
            state = .unlocked
        case .unregister, .deleteUser: state = .nothing
        case .logon, .changeBackendPassword, .refreshSettings, .lock, .cancel: break
        }
        return .nothing
    }

    /// Why an operation does not belong to a state; nil where it does.
    private static func refusal(of operation: LogonOperation, in state: LogonState) -> LogonError.Code? {
        switch (operation, state) {
        case (.register, .nothing), (.makeVault, .registered), (.unlock, .locked): nil
        case (.logon, .registered), (.logon, .unlocked): nil
        case (.changePasscode, .locked), (.changePasscode, .unlocked): nil
        case (.changeBackendPassword, .unlocked), (.refreshSettings, .unlocked): nil
        case (.unregister, .registered), (.unregister, .unlocked): nil
        // A forgotten passcode must not keep anybody from starting over.
        case (.deleteUser, .registered), (.deleteUser, .locked), (.deleteUser, .unlocked): nil
        case (.register, _), (.unlock, .unlocked): .userAlreadyLoggedIn
        case (.changePasscode, _): .passcodeChangeNotEnabled
        default: .operationNotAllowed
        }
    }
}
