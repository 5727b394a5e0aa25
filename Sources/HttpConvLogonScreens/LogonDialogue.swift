public import HttpConvLogon
public import HttpConversation

/// Leads a person through the screens of a `Logon`: decides the questions, their order, and what follows.
///
/// ```swift
/// let dialogue = LogonDialogue(logon: logon, view: view)
/// try await dialogue.run()                                                   // until the vault is open
/// let manager = HttpConversationManager(transport: transport, logon.configurator.asking(dialogue))
/// ```
/// One screen asks at a time, including the screens of logins. After an error the fields keep their values, except
/// secrets. A cancelled screen ends with `LogonError.Code.operationCancelled`. An answer that does not fit its screen
/// ends with `LogonError.Code.invalidActionItemID` or `LogonError.Code.invalidParameter`.
public struct LogonDialogue: Sendable {
    let logon: any LogonOperations
    let view: any LogonView
    let screens: LogonScreens
    /// The text of the splash screen, if the options want one.
    public var welcome = "This application has to be registered once. Have your server's address at hand."

    /// Finds the server by an e-mail address; nil: not offered.
    public var discovery: (any ServerDiscovery)?
    /// Unlocks by fingerprint or face before the passcode is asked for; nil: not offered.
    public var biometry: LogonBiometry?

    /// Creates a dialogue.
    ///
    /// - Parameters:
    ///   - logon: the logon to lead through
    ///   - view: the screens
    ///   - multiplexer: decides when a screen may ask; use the one of the managers whose logins ask
    public init(logon: Logon, view: any LogonView, multiplexer: UserInteractionMultiplexer = .shared) {
        self.init(operations: logon, view: view, multiplexer: multiplexer)
    }

    init(operations: any LogonOperations, view: any LogonView, multiplexer: UserInteractionMultiplexer) {
        logon = operations
        self.view = view
        screens = LogonScreens(view: view, multiplexer: multiplexer)
    }

    /// Continues from the present state until the vault is open: registers, makes a passcode, or unlocks.
    ///
    /// - Throws: `LogonError`: the failure, if the person did not retry
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
        try await closing { () async throws(LogonError) in
            var problem = ""
            while let outdated = try await changePasscode(from: nil, problem: problem) { problem = outdated.message }
        }
    }

    /// Asks for another password for the back end, until the back end accepts it.
    public func changeBackendPassword() async throws(LogonError) {
        try await closing { () async throws(LogonError) in try await askForBackendPassword() }
    }

    /// Asks whether everything is to be deleted here, and deletes it.
    ///
    /// - Throws: `LogonError.Code.operationCancelled` if the person declines
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
    /// Asks for the passcode until the vault is open. One question serves all waiting requests.
    ///
    /// - Throws: `LogonError`; after the last wrong try `LogonError.Code.operationNotAllowed`
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
