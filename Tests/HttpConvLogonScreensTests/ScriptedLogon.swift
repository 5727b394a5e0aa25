import Foundation
import HttpConvVault
import HttpConversation
import MobileServices

@testable import HttpConvLogon
@testable import HttpConvLogonScreens

/// A scripted logon, for situations in a dialogue that a server cannot produce quickly.
actor ScriptedLogon: LogonOperations {
    nonisolated let application = "com.example.sales"
    nonisolated let directory = URL(filePath: "/nowhere")
    let options: LogonOptions
    private(set) var state: LogonState
    private let policy: PasswordPolicy
    private var failures: [LogonError?]
    private var passcode: String?
    private var tries: Int?
    private(set) var inputs: [RegistrationInput] = []
    private(set) var passcodes: [[String?]] = []
    private(set) var hasCancelled = false
    private var cancellation: CheckedContinuation<Void, Never>?
    private var waitsForCancellation: Bool

    /// - Parameters:
    ///   - failures: the results of the operations that reach a server or make a vault, in order; nil: success
    ///   - passcode: the vault's passcode
    ///   - tries: the tries for it; nil: unlimited
    init(
        _ state: LogonState, _ options: LogonOptions = LogonOptions(), policy: PasswordPolicy = PasswordPolicy(),
        passcode: String? = nil, tries: Int? = 3, waitsForCancellation: Bool = false,
        failing failures: [LogonError?] = []
    ) {
        self.state = state
        self.options = options
        self.policy = policy
        self.passcode = passcode
        self.tries = tries
        self.failures = failures
        self.waitsForCancellation = waitsForCancellation
    }

    func register(_ input: RegistrationInput) async throws(LogonError) -> RegistrationResult {
        inputs.append(input)
        try await turn()
        state = .registered
        guard let root = try? TargetURL("https://mobile.example.com/") else { throw LogonError(.invalidServerHost, "") }
        return RegistrationResult(
            communicator: .mobileServer, root: root, settings: nil, passwordPolicy: policy, userName: nil)
    }

    func makeVault(passcode: String?, repeated: String?) async throws(LogonError) {
        passcodes.append([passcode, repeated])
        try await turn()
        guard passcode == repeated else { throw LogonError(.passwordsNotEqual, "The two differ.") }
        state = .unlocked
    }

    func unlock(passcode: String?) async throws(LogonError) {
        passcodes.append([passcode])
        try await turn()
        guard passcode != self.passcode else { return state = .unlocked }
        tries = tries.map { $0 - 1 }
        if tries == 0 { state = .nothing }
        let code = tries == 0 ? PasscodeVaultError.Code.wiped : .wrongPasscode
        throw LogonError(
            tries == 0 ? .operationNotAllowed : .invalidParameter, tries == 0 ? "It is gone." : "That is wrong.",
            underlyingError: PasscodeVaultError(code, "", attemptsLeft: tries))
    }

    func changePasscode(from old: String?, to new: String?, repeated: String?) async throws(LogonError) {
        passcodes.append([old, new, repeated])
        try await turn()
        state = .unlocked
    }

    func changeBackendPassword(_ password: String) async throws(LogonError) {
        passcodes.append([password])
        try await turn()
    }

    func passwordPolicy() async throws(LogonError) -> PasswordPolicy { policy }
    func attemptsLeft() async throws(LogonError) -> Int? { passcode == nil ? nil : tries }
    func hasPasscode() async throws(LogonError) -> Bool { passcode != nil }

    func deleteUser() async throws(LogonError) -> Bool {
        try await turn()
        state = .nothing
        return true
    }

    func cancel() async {
        hasCancelled = true
        cancellation?.resume()
        cancellation = nil
    }

    private func turn() async throws(LogonError) {
        if waitsForCancellation {
            if !hasCancelled { await withCheckedContinuation { cancellation = $0 } }
            throw LogonError(.operationCancelled, "The logon was cancelled.")
        }
        if !failures.isEmpty, let failure = failures.removeFirst() {
            // Another process has removed the passcode, or given the vault one.
            switch (failure.underlyingError as? PasscodeVaultError)?.code {
            case .noPasscode: passcode = nil
            case .passcodeNeeded: passcode = "right"
            default: break
            }
            // Another process has made the vault.
            if failure.code == .userAlreadyLoggedIn { state = .locked }
            throw failure
        }
    }
}
