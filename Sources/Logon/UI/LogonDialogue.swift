import MobileServices
public import UserInteractionMultiplexing

/// Drives a ``Logon`` through its screens: what is asked, in which order, and what follows from the answers.
///
/// ```swift
/// let dialogue = LogonDialogue(logon: logon, view: view)
/// try await dialogue.run()                                                   // until the vault is open
/// let manager = HttpConversationManager(transport: transport, logon.configurator.asking(dialogue))
/// ```
/// One screen asks at a time, also beside those of logins. Of what was entered before an error everything stays but secrets.
/// Whatever a person cancels ends with ``LogonError/Code/operationCancelled``; a view that answers what its screen does
/// not have, with ``LogonError/Code/invalidActionItemID`` or ``LogonError/Code/invalidParameter``.
public struct LogonDialogue: Sendable {
    let logon: any LogonOperations
    let view: any LogonView
    let screens: LogonScreens
    /// What the splash screen says, where the options want one.
    public var welcome = "This application has to be registered once. Have your server's address at hand."

    /// Finds servers by an e-mail address, where the person does not know the server's; nil: there is none.
    public var discovery: (any ServerDiscovery)?

    /// A dialogue.
    ///
    /// - Parameters:
    ///   - logon: whose questions are asked
    ///   - view: the screens
    ///   - multiplexer: who decides when a screen may ask; that of the managers whose logins ask, too
    public init(logon: Logon, view: any LogonView, multiplexer: UserInteractionMultiplexer = .shared) {
        self.init(operations: logon, view: view, multiplexer: multiplexer)
    }

    init(operations: any LogonOperations, view: any LogonView, multiplexer: UserInteractionMultiplexer) {
        logon = operations
        self.view = view
        screens = LogonScreens(view: view, multiplexer: multiplexer)
    }

    /// Goes on from where the application is until its vault is open: registers, has a passcode made, or unlocks.
    ///
    /// - Throws: ``LogonError``: what could not be done and was not tried again
    public func run() async throws(LogonError) {
        try await closing { () async throws(LogonError) in
            while true {
                switch await logon.state {
                case .nothing: try await register()
                case .registered: try await makeVault()
                case .locked: try await open()
                case .unlocked: return
                }
            }
        }
    }

    /// Asks for another passcode.
    public func changePasscode() async throws(LogonError) {
        try await closing { () async throws(LogonError) in try await changePasscode(from: nil, problem: "") }
    }

    /// Asks for another password for the back end, until the back end accepts it.
    public func changeBackendPassword() async throws(LogonError) {
        try await closing { () async throws(LogonError) in try await askForBackendPassword() }
    }

    /// Asks whether everything is to be deleted here, and does it.
    ///
    /// - Throws: ``LogonError/Code/operationCancelled`` where the person does not want that
    public func deleteUser() async throws(LogonError) {
        try await closing { () async throws(LogonError) in
            guard try await confirmAndDelete() else { throw LogonScreens.cancelled("nothing is deleted") }
        }
    }

    private func closing(_ body: () async throws(LogonError) -> Void) async throws(LogonError) {
        do throws(LogonError) {
            try await body()
        } catch {
            await view.close()
            throw error
        }
        await view.close()
    }
}

extension LogonDialogue: LogonUnlocker {
    /// Asks for the passcode until the vault is open: for requests that wait for it, and one question for all of them.
    ///
    /// - Throws: ``LogonError``; after the last wrong try ``LogonError/Code/operationNotAllowed``
    public func unlock(_ logon: Logon) async throws {
        try await closing { () async throws(LogonError) in
            try await open()
            guard await self.logon.state == .unlocked else {
                throw LogonError(
                    .operationNotAllowed, "There is no registration of \(logon.application) here: log on again.")
            }
        }
    }
}
