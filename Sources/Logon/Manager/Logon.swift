public import Foundation
public import HttpConvAuthFlows
public import HttpConversation
public import MobileServices

/// Brings an application aboard, and keeps it there: registration with a server, then a vault that a passcode opens.
///
/// ```swift
/// let logon = Logon(application: "com.example.sales", directory: directory, transport: transport)
/// let result = try await logon.register(input)                               // the first step
/// try await logon.makeVault(passcode: passcode, repeated: again)             // the second one
/// let manager = HttpConversationManager(transport: transport, logon.configurator)
/// ```
/// In the next process the vault is found, and ``unlock(passcode:)`` is all. One operation runs at a time.
public actor Logon {
    /// The application's id at the mobile server.
    public nonisolated let application: String
    /// Where the vault is.
    public nonisolated let directory: URL
    private var machine = LogonStateMachine(.nothing)

    /// A logon; where there is a vault in the directory, it is locked.
    ///
    /// - Parameters:
    ///   - application: the id at the mobile server
    ///   - directory: this application's and this person's alone
    ///   - options: what the registration begins with
    ///   - login: web strategies, screens and further providers
    ///   - configuration: limits, proxies and observers; its session is not used: a logon is a person of its own
    ///   - deviceID: names the device to the mobile server
    ///   - enrolment: gets a certificate for the device, where the options want one
    public init(
        application: String, directory: URL, transport: any HTTPTransport, options: LogonOptions = LogonOptions(),
        login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
        configuration: HttpConversationManager.Configuration = HttpConversationManager.Configuration(),
        deviceID: String? = nil, enrolment: (any CertificateEnrolment)? = nil
    ) {
        self.application = application
        self.directory = directory
        self.options = options
    }

    /// What a registration begins with; see ``update(_:)``.
    public private(set) var options: LogonOptions
    /// Changes the options, for what comes after.
    public func update(_ change: (inout LogonOptions) -> Void) { change(&options) }

    /// How far the application has come.
    public var state: LogonState { machine.state }
    /// The state now, and each that follows. One that nothing asks for, such as a lock by time, is told when it is noticed.
    public nonisolated func states() -> AsyncStream<LogonState> { AsyncStream { $0.finish() } }
    /// What is in progress; nil: nothing.
    public var running: LogonOperation? { machine.running }
    /// What is registered; nil where nothing is, and while the vault is locked.
    public var registration: RegistrationResult? { nil }
    /// Configures the application's managers. Those of one registration are one person; after ``unregister()`` and
    /// ``deleteUser()`` managers have to be made anew.
    public nonisolated var configurator: LogonConfigurator { LogonConfigurator(self) }

    // MARK: The two steps

    /// Finds out what is at the address, logs in by whatever the server wants, and registers; a gateway is only logged in
    /// to. The registration is in memory until ``makeVault(passcode:repeated:)``.
    ///
    /// - Throws: ``LogonError``: `invalidServerHost`, `invalidParameter`, `couldNotDecideCommunicator`,
    ///   `invalidBackendPassword`, `communicationManagerError`, `operationCancelled`, `userAlreadyLoggedIn`
    @discardableResult
    public func register(_ input: RegistrationInput) async throws(LogonError) -> RegistrationResult {
        throw Self.missing
    }

    /// Makes the vault, and puts into it all that the registration is.
    ///
    /// - Parameter passcode: nil: without one, where the policy allows that
    /// - Throws: ``LogonError``: `passwordsNotEqual`; `invalidParameter` with a `PasscodeVaultError` where the policy is
    ///   not satisfied
    public func makeVault(passcode: String?, repeated: String?) async throws(LogonError) { throw Self.missing }

    // MARK: The vault

    /// Opens the vault, and takes up the registration.
    ///
    /// - Parameter passcode: nil: of a vault without one
    /// - Throws: ``LogonError``: `invalidParameter` with `PasscodeVaultError.wrongPasscode` below;
    ///   `operationNotAllowed` where the vault is wiped, or the passcode too old: then ``changePasscode(from:to:repeated:)``
    public func unlock(passcode: String?) async throws(LogonError) { throw Self.missing }

    /// Locks the vault at once; what is in progress is cancelled. Passwords and certificates are forgotten.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where there is no vault
    public func lock() async throws(LogonError) { throw Self.missing }

    /// Gives the vault another passcode, and opens it.
    ///
    /// - Parameter new: nil: none, where the policy allows that
    /// - Throws: ``LogonError``: `passwordsNotEqual`, `passcodeChangeNotEnabled`; others as ``unlock(passcode:)``
    public func changePasscode(from old: String?, to new: String?, repeated: String?) async throws(LogonError) {
        throw Self.missing
    }

    /// What is wanted of the passcode: by the server, else by the options.
    public func passwordPolicy() async throws(LogonError) -> PasswordPolicy { throw Self.missing }

    /// How many tries are left; nil: without limit, or there is no passcode.
    public func attemptsLeft() async throws(LogonError) -> Int? { throw Self.missing }

    // MARK: The server

    /// Logs in at the server now.
    ///
    /// - Throws: as ``register(_:)``
    public func logon() async throws(LogonError) { throw Self.missing }

    /// Asks the back end whether it accepts another password, and keeps it then.
    ///
    /// - Throws: ``LogonError``: `invalidBackendPassword`, `communicationManagerError`; the vault is as before
    public func changeBackendPassword(_ password: String) async throws(LogonError) { throw Self.missing }

    /// Reads what the server wants of the application. A newer policy counts from then on.
    ///
    /// - Throws: ``LogonError/Code/communicationManagerError`` and others; the vault is as before
    @discardableResult
    public func refreshSettings() async throws(LogonError) -> ApplicationSettings? { throw Self.missing }

    /// Removes the registration from the server, then the vault.
    ///
    /// - Throws: ``LogonError``: where the server cannot be told, everything stays as it is; see ``deleteUser()``
    public func unregister() async throws(LogonError) { throw Self.missing }

    /// Removes everything from this device. The server is told where that is possible: not while the vault is locked.
    ///
    /// - Returns: whether the server has removed the registration
    @discardableResult
    public func deleteUser() async throws(LogonError) -> Bool { throw Self.missing }

    /// Ends what is in progress: it fails with ``LogonError/Code/operationCancelled``.
    public func cancel() {}

    private static var missing: LogonError { LogonError(.invalidOperationCode, "Not there yet.") }
}
