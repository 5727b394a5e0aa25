import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

/// Asks for the passcode of a vault that requests wait for, and stores its key for other processes.
struct SharedUnlocker: LogonUnlocker {
    let shared: SharedLogon
    /// The dialogue with the person, created when it is needed.
    let dialogue: @Sendable () -> LogonDialogue

    func unlock(_ logon: Logon) async throws {
        // Another process may have unlocked it meanwhile.
        try await shared.open { try await ask(logon) }
    }

    private func ask(_ logon: Logon) async throws {
        do {
            try await dialogue().unlock(logon)
        } catch let error as LogonError where error.code == .operationNotAllowed {
            guard await logon.state == .locked else { throw error }
            throw shared.locked(error.message)
        }
    }
}
