public import Foundation
public import HttpConvAuthFlows
import HttpConvConcurrency
public import HttpConversation
import MobileServices
import Synchronization

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
    let deviceID: String?
    let transport: any HTTPTransport
    let configuration: HttpConversationManager.Configuration
    private let login: CommonAuthenticationConfigurator
    let enrolment: (any CertificateEnrolment)?
    let vaultOptions: PasscodeVaultOptions

    private var machine: LogonStateMachine
    private var cancelRunning: (@Sendable () -> Void)?
    private let changes = Broadcast<LogonState>(backlog: 8)
    private nonisolated let current: Mutex<PersonConfigurator>
    /// What a registration begins with; see ``update(_:)``.
    public private(set) var options: LogonOptions
    /// What is registered; nil where nothing is, and while the vault is locked.
    public internal(set) var registration: RegistrationResult?
    var vault: PasscodeVault?
    private var watch: Task<Void, Never>?

    /// A logon; where there is a vault in the directory, it is locked.
    ///
    /// - Parameters:
    ///   - application: the id at the mobile server
    ///   - directory: the vault's; this application's and this person's alone
    ///   - transport: carries the requests of the logon
    ///   - options: what the registration begins with
    ///   - login: web strategies, screens and further providers
    ///   - configuration: limits, proxies and observers; its session is not used: a logon is a person of its own
    ///   - deviceID: names the device to the mobile server
    ///   - enrolment: gets a certificate for the device, where the options want one, and renews it
    ///   - vault: how this process uses the passcode's vault
    public init(
        application: String, directory: URL, transport: any HTTPTransport, options: LogonOptions = LogonOptions(),
        login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
        configuration: HttpConversationManager.Configuration = HttpConversationManager.Configuration(),
        deviceID: String? = nil, enrolment: (any CertificateEnrolment)? = nil,
        vault: PasscodeVaultOptions = PasscodeVaultOptions()
    ) {
        self.application = application
        self.directory = directory
        self.transport = transport
        self.options = options
        self.login = login
        self.configuration = configuration
        self.deviceID = deviceID
        self.enrolment = enrolment
        vaultOptions = vault
        let person = LogonPerson(enrolment: enrolment, now: vault.clock.date)
        current = Mutex(PersonConfigurator(person: person, login: login))
        machine = LogonStateMachine(PasscodeVault.exists(at: directory) ? .locked : .nothing)
    }

    deinit { watch?.cancel() }

    /// Changes the options, for what comes after.
    public func update(_ change: @Sendable (inout LogonOptions) -> Void) { change(&options) }

    // MARK: State

    /// How far the application has come.
    public var state: LogonState {
        notice()
        return machine.state
    }

    /// Each change of ``state`` from now on.
    public nonisolated func states() -> AsyncStream<LogonState> { changes.listen() }

    /// What is in progress; nil: nothing.
    public var running: LogonOperation? { machine.running }

    /// Why the device's certificate could not be renewed when that was tried last; nil: it could, or nobody tried. The old
    /// one is used on as long as it is valid, and the renewal is tried again every hour that requests are sent in.
    public nonisolated var renewalFailure: EnrolmentError? { person.certificate.lastFailure }

    /// Configures the application's managers. Those of one registration are one person; after ``unregister()`` and
    /// ``deleteUser()`` managers have to be made anew.
    public nonisolated var configurator: LogonConfigurator {
        LogonConfigurator(self, current.withLock { $0 })
    }

    /// Who is, or is about to be, registered.
    nonisolated var person: LogonPerson { current.withLock { $0.person } }

    /// Takes notice of what happened to the vault by time, or by another process.
    func notice() {
        guard let vault else { return }
        switch vault.state {
        case .unlocked: return
        case .locked:
            guard machine.state == .unlocked else { return }
            tellingChange { _ = machine.handle(.vaultLocked) }
            registration = nil
            person.forget()
        case .wiped: vaultIsGone()
        }
    }

    /// There is no registration any more.
    func vaultIsGone() {
        vault = nil
        watch?.cancel()
        endPerson()
        tellingChange { _ = machine.handle(.vaultGone) }
    }

    /// Whoever comes next is somebody else.
    func endPerson() {
        registration = nil
        current.withLock { current in
            current.person.clear(isOver: true)
            let person = LogonPerson(enrolment: enrolment, now: vaultOptions.clock.date)
            current = PersonConfigurator(person: person, login: login)
        }
    }

    /// Looks after the vault while it is open.
    func watch(_ vault: PasscodeVault) {
        watch?.cancel()
        let states = vault.states()
        watch = Task { [weak self] in
            for await _ in states { await self?.notice() }
        }
    }

    /// A manager for the logon's own requests: the logins of the person, and nobody has to unlock anything.
    func manager(for person: LogonPerson) -> HttpConversationManager {
        var configuration = configuration
        configuration.session = person.session
        current.withLock { $0 }.configure(&configuration)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private func tellingChange(_ change: () -> Void) {
        let before = machine.state
        change()
        if machine.state != before { changes.tell(machine.state) }
    }

    // MARK: Operations

    /// Runs an operation, where the state allows it, until it is done or cancelled.
    func run<Result: Sendable>(
        _ operation: LogonOperation, _ body: @escaping @Sendable () async throws(LogonError) -> Result
    ) async throws(LogonError) -> Result {
        notice()
        if case .refuse(let code) = machine.handle(.begin(operation)) { throw refusal(code, of: operation) }
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
            // Whatever it was that the cancellation made fail.
            throw task.isCancelled ? LogonError.cancelled : error
        }
    }

    private func end(_ operation: LogonOperation, succeeded: Bool) {
        var action = LogonStateMachine.Action.nothing
        tellingChange { action = machine.handle(.end(operation, succeeded: succeeded)) }
        if action == .lock { lockNow() }
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

    /// Ends what is in progress: it fails with ``LogonError/Code/operationCancelled``.
    public func cancel() { if machine.handle(.begin(.cancel)) == .interrupt { cancelRunning?() } }

    /// Locks the vault at once; what is in progress is cancelled. Passwords and certificates are forgotten.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where there is no vault
    public func lock() throws(LogonError) {
        notice()
        var action = LogonStateMachine.Action.nothing
        tellingChange { action = machine.handle(.begin(.lock)) }
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
