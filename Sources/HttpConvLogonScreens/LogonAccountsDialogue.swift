public import HttpConvLogon
public import HttpConversation

/// Leads a person through the accounts on a device: chooses one, adds one, or removes one.
///
/// ```swift
/// let logon = try await LogonAccountsDialogue(accounts: accounts, view: view).run()
/// let manager = HttpConversationManager(transport: transport, logon.configurator)
/// ```
/// Removing an account asks first. A cancelled screen ends with `LogonError.Code.operationCancelled`.
public struct LogonAccountsDialogue: Sendable {
    private let accounts: LogonAccounts
    private let view: any LogonView
    private let multiplexer: UserInteractionMultiplexer
    private let screens: LogonScreens
    /// Finds the server of a new account by an e-mail address; nil: not offered.
    public var discovery: (any ServerDiscovery)?
    /// Unlocks an account by fingerprint or face before its passcode is asked for, on Apple's systems by
    /// `{ .system($0) }`; nil: not offered.
    public var biometry: (@Sendable (Logon) -> LogonBiometry)?

    /// Creates a dialogue.
    ///
    /// - Parameters:
    ///   - accounts: the accounts to choose from
    ///   - view: the screens
    ///   - multiplexer: decides when a screen may ask; use the one of the managers whose logins ask
    public init(accounts: LogonAccounts, view: any LogonView, multiplexer: UserInteractionMultiplexer = .shared) {
        self.accounts = accounts
        self.view = view
        self.multiplexer = multiplexer
        screens = LogonScreens(view: view, multiplexer: multiplexer)
    }

    /// Lets the person choose an account, and continues until its vault is open; then the account is selected. A new
    /// account that is not registered in the end is removed again.
    ///
    /// - Throws: `LogonError`: the failure, if the person did not retry
    public func run() async throws(LogonError) -> Logon {
        let account = try await choose()
        let logon = try await accounts.logon(for: account.id)
        do throws(LogonError) { try await dialogue(for: logon).run() } catch {
            await accounts.discard(account.id)
            throw error
        }
        try await accounts.select(account.id)
        return logon
    }

    /// Opens the selected account, as at the start of an application. Lets the person choose, as ``run()``, if none is
    /// selected, or the selected one cannot be used.
    ///
    /// - Throws: `LogonError`: the failure, if the person did not retry
    public func open() async throws(LogonError) -> Logon {
        guard let account = try? await accounts.selected(), account.isRegistered, account.problem == nil else {
            return try await run()
        }
        let logon = try await accounts.logon(for: account.id)
        try await dialogue(for: logon).run()
        return logon
    }

    /// The dialogue of one account, which unlocks it for a configurator and a ``LogonLifecycle``, too.
    public func dialogue(for logon: Logon) -> LogonDialogue {
        var dialogue = LogonDialogue(logon: logon, view: view, multiplexer: multiplexer)
        dialogue.discovery = discovery
        dialogue.biometry = biometry?(logon)
        return dialogue
    }

    /// Lets the person choose an account. It is neither opened nor selected, and a new one is not registered yet.
    ///
    /// - Throws: `LogonError.Code.operationCancelled`; other errors if the accounts cannot be read or changed
    public func choose() async throws(LogonError) -> LogonAccount {
        let result: Result<LogonAccount, LogonError>
        do throws(LogonError) { result = .success(try await chosen()) } catch { result = .failure(error) }
        await view.close()
        return try result.get()
    }

    private func chosen() async throws(LogonError) -> LogonAccount {
        var problem = ""
        while true {
            let known = try await accounts.list()
            guard !known.isEmpty else { return try await add() }
            let usual = try? await accounts.selected()
            let answer = try await ask(
                known, "Accounts on this device", problem: problem, usual: usual,
                [.proceed, .addAccount, .removeAccount, .cancel])
            problem = ""
            switch answer.action {
            case .addAccount: return try await add()
            case .removeAccount: problem = try await remove(from: known)
            default:
                let account = try Self.account(answer, in: known, usual: usual)
                guard let reason = account.problem else { return account }
                problem = reason
            }
        }
    }

    private func ask(
        _ known: [LogonAccount], _ title: String, problem: String = "", usual: LogonAccount? = nil,
        _ actions: [LogonAction]
    ) async throws(LogonError) -> LogonScreenAnswer {
        let value = known.first { $0.id == usual?.id }?.id.description
        let field = LogonField(
            .account, "Account", kind: .choice, value: value ?? "",
            choices: known.map { LogonField.Choice($0.id.description, $0.words) }, isRequired: true)
        return try await screens.ask(
            LogonScreen(.accounts, title: title, problem: problem, fields: [field], actions: actions))
    }

    /// The account of an answer; the usual one, if the person left it unchanged.
    private static func account(
        _ answer: LogonScreenAnswer, in known: [LogonAccount], usual: LogonAccount?
    ) throws(LogonError) -> LogonAccount {
        let value = answer[.account] ?? usual?.id.description
        guard let account = known.first(where: { $0.id.description == value }) else {
            throw LogonError(.invalidParameter, "The answer names no account of the list.")
        }
        return account
    }

    private func add() async throws(LogonError) -> LogonAccount {
        var (name, problem) = ("", "")
        while true {
            let field = LogonField(.accountName, "Name", value: name, isRequired: true)
            let answer = try await screens.ask(
                LogonScreen(
                    .newAccount, title: "Add an account",
                    message: "Its name is shown on this device only, such as Work.", problem: problem, fields: [field]))
            name = answer[.accountName] ?? name
            do throws(LogonError) { return try await accounts.add(named: name) } catch {
                guard error.code == .invalidParameter else { throw error }
                problem = error.message
            }
        }
    }

    /// - Returns: the problem to show; empty if there is none
    private func remove(from known: [LogonAccount]) async throws(LogonError) -> String {
        let answer: LogonScreenAnswer
        do throws(LogonError) {
            answer = try await ask(known, "Remove which account?", [.removeAccount, .cancel])
        } catch {
            guard error.code == .operationCancelled, !Task.isCancelled else { throw error }
            return ""
        }
        let account = try Self.account(answer, in: known, usual: nil)
        // The default action must not be the one that cannot be undone.
        let isWanted = try await screens.confirm(
            "Remove the account \"\(account.name)\" from this device?",
            "Its registration, passwords and settings are lost. The server is told if the account is unlocked here.",
            [.cancel, .removeAccount])
        guard isWanted else { return "" }
        let result = await screens.during("Removing \(account.name)", cancel: {}) {
            () async throws(LogonError) in try await accounts.remove(account.id)
        }
        switch result {
        case .success(nil): return ""
        case .success(let reason?):
            return "The account \"\(account.name)\" is removed here, but the server was not told: \(reason.message)"
        case .failure(let error):
            guard error.code != .operationCancelled else { throw error }
            return error.message
        }
    }
}

extension LogonAccount {
    /// The account in one line, for people.
    fileprivate var words: String {
        let place = [userName, server].compactMap(\.self).joined(separator: " at ")
        let state = problem != nil ? "cannot be used" : isRegistered ? place : "not registered"
        return state.isEmpty ? name : "\(name) (\(state))"
    }
}
