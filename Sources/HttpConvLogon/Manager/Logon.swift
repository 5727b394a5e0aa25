public import HttpConvAuthFlows
import HttpConvConcurrency
public import HttpConvPlatform
public import HttpConvVault
public import HttpConversation
import MobileServices
import Synchronization

/// Registers an application with a server, and keeps the registration in a vault that a passcode opens.
///
/// ```swift
/// let logon = Logon(application: "com.example.sales", directory: directory, transport: transport)
/// let result = try await logon.register(input)                               // the first step
/// try await logon.makeVault(passcode: passcode, repeated: again)             // the second one
/// let manager = HttpConversationManager(transport: transport, logon.configurator)
/// ```
/// The next process finds the vault and needs only ``unlock(passcode:)``. One operation runs at a time.
public actor Logon {
    /// The application's id at the mobile server.
    public nonisolated let application: String
    /// The vault's directory.
    public nonisolated let directory: URL
    let deviceID: String?
    let transport: any HTTPTransport
    let configuration: HttpConversationManager.Configuration
    private let login: CommonAuthenticationConfigurator
    let enrolment: (any CertificateEnrolment)?
    let vaultConfiguration: PasscodeVaultConfiguration

    private var machine: LogonStateMachine
    private var cancelRunning: (@Sendable () -> Void)?
    /// The callers that wait for the end of the operation in progress.
    private(set) var waiters: [CheckedContinuation<Void, Never>] = []
    private let changes = Broadcast<LogonState>(backlog: 8)
    private nonisolated let current: Mutex<PersonConfigurator>
    /// The place among several accounts; nil: the only one.
    nonisolated let place = Mutex<AccountPlace?>(nil)
    /// The options for the next registration; see ``update(_:)``.
    public private(set) var options: LogonOptions
    /// The registration; nil if there is none, and while the vault is locked.
    public internal(set) var registration: RegistrationResult?
    var vault: PasscodeVault?
    /// The certificate of a registration that has not succeeded yet.
    var enrolled: PendingEnrolment?
    private var watch: Task<Void, Never>?

    /// Creates a logon. A vault that is in the directory already is locked.
    ///
    /// - Parameters:
    ///   - application: the id at the mobile server
    ///   - directory: the vault's directory, for this application and this person only
    ///   - transport: carries the requests of the logon
    ///   - options: defaults for the registration
    ///   - login: web strategies, screens and further providers
    ///   - configuration: limits, proxies and observers; its session is not used: a logon has its own
    ///   - deviceID: names the device to the mobile server
    ///   - enrolment: gets a certificate for the device, if the options ask for one, and renews it
    ///   - vault: how this process uses the vault
    public init(
        application: String, directory: URL, transport: any HTTPTransport, options: LogonOptions = LogonOptions(),
        login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
        configuration: HttpConversationManager.Configuration = HttpConversationManager.Configuration(),
        deviceID: String? = nil, enrolment: (any CertificateEnrolment)? = nil,
        vault: PasscodeVaultConfiguration = PasscodeVaultConfiguration()
    ) {
        self.application = application
        self.directory = directory
        self.transport = transport
        self.options = options
        self.login = login
        self.configuration = configuration
        self.deviceID = deviceID
        self.enrolment = enrolment
        vaultConfiguration = vault
        let person = LogonPerson(enrolment: enrolment, clock: vault.clock)
        current = Mutex(PersonConfigurator(person: person, login: login))
        machine = LogonStateMachine(PasscodeVault.exists(at: directory) ? .locked : .nothing)
    }

    deinit { watch?.cancel() }

    /// Changes the options for later operations.
    public func update(_ change: @Sendable (inout LogonOptions) -> Void) { change(&options) }

    // MARK: State

    /// The state of the registration and its vault.
    public var state: LogonState {
        notice()
        return machine.state
    }

    /// Each change of ``state`` from now on.
    public nonisolated func states() -> AsyncStream<LogonState> { changes.listen() }

    /// The operation in progress; nil: none.
    public var running: LogonOperation? { machine.running }

    /// The error of the last certificate renewal; nil if it succeeded, or there was none. The old certificate is used
    /// as long as it is valid. While requests are sent, the renewal is retried every hour.
    public nonisolated var renewalFailure: EnrolmentError? { person.certificate.lastFailure }

    /// Configures the application's managers. All managers of one registration share its person. After ``unregister()``
    /// and ``deleteUser()`` create new managers.
    public nonisolated var configurator: LogonConfigurator {
        LogonConfigurator(self, current.withLock { $0 })
    }

    /// The person who is registered, or about to be.
    nonisolated var person: LogonPerson { current.withLock { $0.person } }

    /// Updates the state after the vault was locked by timeout, or made or changed by another process.
    func notice() {
        guard let vault else { return lookForVault() }
        switch vault.state {
        case .unlocked: return
        case .locked:
            guard machine.state == .unlocked else { return lookForVault() }
            reportingChange { _ = machine.handle(.vaultLocked) }
            registration = nil
            person.forget()
        case .wiped: vaultWasRemoved()
        }
    }

    /// Notices a vault that another process has made, with its registration. A vault that the application itself makes
    /// may have no registration.
    private func lookForVault() {
        guard machine.state == .nothing, machine.running == nil, options.allowsAutomaticSecureStoreCreation,
            PasscodeVault.exists(at: directory)
        else { return }
        reportingChange { _ = machine.handle(.vaultFound) }
    }

    /// Ends the registration that is in memory, because another process has made the vault with its own.
    func vaultWasMadeElsewhere() {
        vault = nil
        endPerson()
        reportingChange { _ = machine.handle(.vaultFound) }
    }

    /// Ends the registration after its vault is gone.
    func vaultWasRemoved() {
        vault = nil
        watch?.cancel()
        endPerson()
        reportingChange { _ = machine.handle(.vaultGone) }
    }

    /// Clears the present person; the next registration gets a new one.
    func endPerson() {
        registration = nil
        current.withLock { current in
            current.person.end()
            let person = LogonPerson(enrolment: enrolment, clock: vaultConfiguration.clock)
            current = PersonConfigurator(person: person, login: login)
        }
    }

    /// Follows the vault's state while it is open.
    func watch(_ vault: PasscodeVault) {
        watch?.cancel()
        let states = vault.states()
        watch = Task { [weak self] in
            for await _ in states { await self?.notice() }
        }
    }

    /// A manager for the logon's own requests: with the person's logins, and without an unlocker.
    func manager(for person: LogonPerson) -> HttpConversationManager {
        var configuration = configuration
        configuration.session = person.session
        current.withLock { $0 }.configure(&configuration)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private func reportingChange(_ change: () -> Void) {
        let before = machine.state
        change()
        if machine.state != before { changes.tell(machine.state) }
    }

    // MARK: Operations

    /// Runs an operation, if the state allows it, until it is done or cancelled.
    func run<Result: Sendable>(
        _ operation: LogonOperation, _ body: @escaping @Sendable () async throws(LogonError) -> Result
    ) async throws(LogonError) -> Result {
        notice()
        try checkAccount(for: operation)
        if case .refuse(let code) = machine.handle(.begin(operation)) {
            try place.withLock { $0 }?.check()
            throw refusal(code, of: operation)
        }
        let task = Task { () -> Swift.Result<Result, LogonError> in
            do throws(LogonError) {
                if Task.isCancelled { throw .cancelled }
                return .success(try await body())
            } catch { return .failure(error) }
        }
        cancelRunning = { task.cancel() }
        let result = await withTaskCancellationHandler(operation: { await task.value }, onCancel: { task.cancel() })
        cancelRunning = nil
        end(operation, succeeded: (try? result.get()) != nil)
        do throws(LogonError) { return try result.get() } catch {
            // The cancellation caused the failure, whatever the error.
            if task.isCancelled { throw .cancelled }
            notice()
            try checkAccount(for: operation)
            throw error
        }
    }

    private func end(_ operation: LogonOperation, succeeded: Bool) {
        var action = LogonStateMachine.Action.nothing
        reportingChange { action = machine.handle(.end(operation, succeeded: succeeded)) }
        if action == .lock { lockNow() }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Returns when no operation is opening the vault. Such an operation sends no request, so no request waits for
    /// itself.
    func waitForOpening() async {
        while machine.running == .unlock || machine.running == .changePasscode {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func refusal(_ code: LogonError.Code, of operation: LogonOperation) -> LogonError {
        let message =
            switch (code, machine.state) {
            case (.operationExecutionInProgress, _):
                "The operation \(operation) has to wait for \(machine.running?.rawValue ?? "another one"): one at a time."
            case (.userAlreadyLoggedIn, _): "The application is registered already: unregister first."
            case (.passcodeChangeNotEnabled, _): "There is no passcode that could be changed: register first."
            case (_, .nothing): "The operation \(operation) needs a registration: register first."
            case (_, .registered): "The operation \(operation) needs a vault: make it first."
            case (_, .locked): "The operation \(operation) needs the vault: unlock it first."
            case (_, .unlocked): "The operation \(operation) is not possible while the vault is unlocked."
            }
        return LogonError(code, message)
    }

    /// Cancels the operation in progress, which fails with ``LogonError/Code/operationCancelled``.
    public func cancel() { if machine.handle(.begin(.cancel)) == .interrupt { cancelRunning?() } }

    /// Locks the vault at once, and cancels the operation in progress. Passwords and certificates are forgotten.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if there is no vault
    public func lock() throws(LogonError) {
        notice()
        var action = LogonStateMachine.Action.nothing
        reportingChange { action = machine.handle(.begin(.lock)) }
        if case .refuse(let code) = action { throw refusal(code, of: .lock) }
        lockNow()
    }

    private func lockNow() {
        cancelRunning?()
        vault?.lock()
        registration = nil
        person.forget()
    }
}
