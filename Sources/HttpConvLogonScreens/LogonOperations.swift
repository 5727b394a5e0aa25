import HttpConvLogon
import HttpConvPlatform
import HttpConvVault

/// The interface of `Logon` for a dialogue; tests replace it.
protocol LogonOperations: Sendable {
    nonisolated var application: String { get }
    nonisolated var directory: URL { get }
    var options: LogonOptions { get async }
    var state: LogonState { get async }
    func register(_ input: RegistrationInput) async throws(LogonError) -> RegistrationResult
    func makeVault(passcode: String?, repeated: String?) async throws(LogonError)
    func unlock(passcode: String?) async throws(LogonError)
    func changePasscode(from old: String?, to new: String?, repeated: String?) async throws(LogonError)
    func changeBackendPassword(_ password: String) async throws(LogonError)
    func passwordPolicy() async throws(LogonError) -> PasswordPolicy
    func attemptsLeft() async throws(LogonError) -> Int?
    func hasPasscode() async throws(LogonError) -> Bool
    func deleteUser() async throws(LogonError) -> Bool
    func cancel() async
}

extension Logon: LogonOperations {}
