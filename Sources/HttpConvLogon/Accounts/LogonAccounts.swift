import HttpConvFormats
public import HttpConvPlatform
import HttpConvVault
import HttpConversation

/// The accounts of an application on this device. Each is a ``Logon`` of its own, which is locked and unlocked alone:
/// no passcode, count of tries, cookie, token or password of one account is used for another.
///
/// ```swift
/// let accounts = LogonAccounts(directory: directory) { Logon(application: "com.example.sales", directory: $0, transport: transport) }
/// let account = try await accounts.add(named: "Work")
/// let logon = try await accounts.logon(for: account.id)                      // register, make the vault
/// try await accounts.select(account.id)
/// ```
/// A registration that a `Logon` has made in the same directory stays where it is: it is the account
/// ``LogonAccount/ID/first``. Several processes can list, add, select and remove at once. Once an account is removed,
/// every ``Logon`` of it fails with ``LogonAccountError/Code/vanished``, also in other processes, and no request is
/// sent as another account in its place.
public actor LogonAccounts {
    /// The directory of the accounts, for this application and this person only.
    public nonisolated let directory: URL
    private let group: VaultGroup
    private let makeLogon: @Sendable (URL) -> Logon
    private var logons: [LogonAccount.ID: Logon] = [:]
    /// The last known names, for errors about accounts that were removed.
    private var names: [LogonAccount.ID: String] = [:]
    /// The accounts that were added by this object. Another process may be registering any other account.
    private var added: Set<LogonAccount.ID> = []

    /// Accounts in a directory, which is created when it is needed.
    ///
    /// - Parameters:
    ///   - directory: the directory of a single ``Logon``, or an empty one
    ///   - logon: makes the logon of an account, in the directory that it is given
    public init(directory: URL, logon: @escaping @Sendable (URL) -> Logon) {
        self.init(directory: directory, failPoint: nil, logon: logon)
    }

    init(
        directory: URL, failPoint: (@Sendable (VaultGroup.FailPoint) -> Void)?,
        logon: @escaping @Sendable (URL) -> Logon
    ) {
        self.directory = directory
        group = VaultGroup(
            directory.appending(path: "accounts", directoryHint: .isDirectory), failPoint: failPoint)
        makeLogon = logon
    }

    // MARK: Reading

    /// The accounts, by name; ``LogonAccount/ID/first`` comes first, if it is registered. An account whose files are
    /// damaged is listed with its ``LogonAccount/problem``.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if the directory cannot be read, or others can write it
    public func list() async throws(LogonError) -> [LogonAccount] {
        // A removal that was interrupted leaves a vault that nobody can reach.
        try? await group.finish()
        do throws(DataVaultError) {
            let others = try group.names().compactMap { listed(LogonAccount.ID(folder: $0)) }
            let first = PasscodeVault.exists(at: directory) ? listed(.first) : nil
            return (first.map { [$0] } ?? [])
                + others.sorted { ($0.name.lowercased(), $0.id.folder) < ($1.name.lowercased(), $1.id.folder) }
        } catch { throw .listing(error) }
    }

    /// The account of that name. One whose files are damaged has a ``LogonAccount/problem``, as in ``list()``.
    ///
    /// - Throws: ``LogonError/Code/invalidParameter`` with ``LogonAccountError/Code/unknownName`` below
    public func account(named name: String) async throws(LogonError) -> LogonAccount {
        if let found = try await find(name) { return found }
        throw .account(
            .unknownName,
            "There is no account \"\(TerminalText.sanitise(name, limit: LogonAccount.longestName))\" on this device.")
    }

    /// The selected account, which stays selected for later processes. Without a selection it is
    /// ``LogonAccount/ID/first``, if that is registered.
    ///
    /// - Returns: nil if none is selected
    /// - Throws: ``LogonError/Code/operationNotAllowed``, with ``LogonAccountError/Code/vanished`` below if the
    ///   selected account was removed: no other account takes its place
    public func selected() throws(LogonError) -> LogonAccount? {
        let selection: AccountSelection?
        do throws(DataVaultError) {
            selection = try group.selection().flatMap { bytes throws(DataVaultError) in
                try AccountSelection(bytes, in: group.directory)
            }
        } catch { throw .listing(error) }
        guard let selection, let id = LogonAccount.ID(selection.id) else {
            return PasscodeVault.exists(at: directory) ? try account(.first) : nil
        }
        names[id] = names[id] ?? selection.name
        return try account(id)
    }

    /// The directory of an account's vault.
    public nonisolated func directory(of id: LogonAccount.ID) -> URL {
        id == .first ? directory : group.directory(of: id.folder)
    }

    /// The names of the further accounts that can be read, without waiting: for the completion of a command line.
    public nonisolated func readableNames() -> [String] {
        let folders = (try? group.names()) ?? []
        return folders.compactMap { folder in
            let id = LogonAccount.ID(folder: folder)
            let place = AccountPlace(directory: directory(of: id), id: id, name: "", group: group)
            return try? place.description()?.name
        }
    }

    private func find(_ name: String) async throws(LogonError) -> LogonAccount? {
        let name = String(name.trimmingSpaces)
        // As in the list, one with damaged files is found, so that it can be removed.
        if LogonAccount.isSame(name, LogonAccount.firstName) { return listed(.first) }
        return try await list().first { LogonAccount.isSame($0.name, name) }
    }

    /// - Throws: ``LogonError`` if it was removed, or cannot be used
    private func account(_ id: LogonAccount.ID) throws(LogonError) -> LogonAccount {
        let place = place(of: id)
        let description = try place.description()
        return account(id, description, problem: nil)
    }

    /// An account of the list; nil if it was removed meanwhile.
    private func listed(_ id: LogonAccount.ID) -> LogonAccount? {
        do throws(LogonError) { return try account(id) } catch {
            return error.isAccountVanished ? nil : account(id, nil, problem: error.message)
        }
    }

    private func account(
        _ id: LogonAccount.ID, _ description: AccountDescription?, problem: String?
    ) -> LogonAccount {
        let name = id == .first ? LogonAccount.firstName : description?.name ?? "account-\(id.folder.prefix(8))"
        names[id] = name
        return LogonAccount(
            id: id, name: name, server: description?.server, userName: description?.user,
            isRegistered: PasscodeVault.exists(at: directory(of: id)), problem: problem)
    }

    private func place(of id: LogonAccount.ID) -> AccountPlace {
        AccountPlace(
            directory: directory(of: id), id: id,
            name: id == .first ? LogonAccount.firstName : names[id] ?? "", group: group)
    }

    // MARK: Changing

    /// The logon of an account: the same one each time, in this process.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed``, with ``LogonAccountError/Code/vanished`` below if the account
    ///   was removed
    public func logon(for id: LogonAccount.ID) throws(LogonError) -> Logon {
        _ = try account(id)
        if let logon = logons[id] { return logon }
        let place = place(of: id)
        let logon = makeLogon(place.directory)
        guard logon.directory.standardizedFileURL.path == place.directory.standardizedFileURL.path else {
            throw LogonError(
                .invalidParameter, "The logon of an account has to use the directory that it is given.")
        }
        logon.setPlace(place)
        logons[id] = logon
        return logon
    }

    /// Adds an account, which can be registered then. The first one is selected.
    ///
    /// - Parameter name: the name for people, at most ``LogonAccount/longestName`` characters
    /// - Throws: ``LogonError/Code/invalidParameter``, with ``LogonAccountError/Code/invalidName`` or
    ///   ``LogonAccountError/Code/nameTaken`` below
    public func add(named name: String) async throws(LogonError) -> LogonAccount {
        let name = try LogonAccount.checked(name: name)
        guard !LogonAccount.isSame(name, LogonAccount.firstName) else { throw Self.taken(name) }
        let account: LogonAccount
        do {
            let folder = try await group.exclusively {
                let others = try group.names().compactMap { listed(LogonAccount.ID(folder: $0)) }
                if others.contains(where: { LogonAccount.isSame($0.name, name) }) { throw Self.taken(name) }
                return try group.make(AccountDescription(name: name).encoded)
            }
            account = try self.account(LogonAccount.ID(folder: folder))
        } catch { throw .listing(error) }
        let hasSelection: Bool
        // A selection that cannot be used stays, until the person selects another account.
        do throws(LogonError) { hasSelection = try selected() != nil } catch { hasSelection = true }
        added.insert(account.id)
        guard !hasSelection else { return account }
        do throws(LogonError) { try await select(account.id) } catch {
            await discard(account.id)
            throw error
        }
        return account
    }

    /// Selects an account for this process and later ones. Nothing is locked or unlocked.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed``, with ``LogonAccountError/Code/vanished`` below if the account
    ///   was removed
    public func select(_ id: LogonAccount.ID) async throws(LogonError) {
        let selection = AccountSelection(try account(id))
        do { try await group.select(selection.encoded) } catch { throw .listing(error) }
    }

    /// Removes an account from this device: its registration, its vault and its name. A removed account stays selected,
    /// unless it is the last one: ``selected()`` fails until another account is selected.
    ///
    /// - Returns: nil if the server has removed the registration too, or there was none; else the reason why it was not
    ///   told, such as a locked vault: the server's administrator can remove the registration
    /// - Throws: ``LogonError``, with ``LogonAccountError/Code/vanished`` below if it was removed before;
    ///   `operationCancelled` and `operationExecutionInProgress`, then nothing is removed
    @discardableResult
    public func remove(_ id: LogonAccount.ID) async throws(LogonError) -> LogonError? {
        try await remove(id, ifEmpty: false)
    }

    /// - Parameter ifEmpty: whether an account with a vault is left alone
    func remove(_ id: LogonAccount.ID, ifEmpty: Bool) async throws(LogonError) -> LogonError? {
        let failure = try await removeRegistration(id, ifEmpty: ifEmpty)
        logons[id] = nil
        do {
            if id == .first {
                try await group.empty(directory)
            } else {
                try await group.remove(id.folder, ifEmpty: ifEmpty)
            }
        } catch let error as DataVaultError where error.code == .notFound {
            throw .vanished(names[id])
        } catch { throw .listing(error) }
        do {
            if try await list().isEmpty, try group.selection() != nil { try await group.select([]) }
        } catch { throw .listing(error) }
        return failure
    }

    /// Removes an account that was added here, and whose registration was given up. Does nothing if the account has a
    /// vault.
    public func discard(_ id: LogonAccount.ID) async {
        guard added.contains(id), !PasscodeVault.exists(at: directory(of: id)) else { return }
        // Runs in a separate task: a cancelled task would leave the registration at the server.
        await Task { _ = try? await remove(id, ifEmpty: true) }.value
    }

    /// - Parameter ifEmpty: whether a registration with a vault is left alone
    /// - Returns: the reason why the server was not told
    private func removeRegistration(
        _ id: LogonAccount.ID, ifEmpty: Bool
    ) async throws(LogonError) -> LogonError? {
        let logon: Logon
        do throws(LogonError) { logon = try self.logon(for: id) } catch {
            // An account with a damaged name can be removed, but not one that a newer version may need.
            guard (error.underlyingError as? DataVaultError)?.code == .damaged else { throw error }
            return error
        }
        let state = await logon.state
        // Any other state has a vault, perhaps one that another process has just made.
        guard state != .nothing, !ifEmpty || state == .registered else { return nil }
        do throws(LogonError) {
            try await logon.unregister()
            return nil
        } catch {
            let isInterrupted = [.operationCancelled, .operationExecutionInProgress].contains(error.code)
            guard !isInterrupted, !error.isAccountVanished else { throw error }
            try await logon.removeHere()
            return error
        }
    }

    private static func taken(_ name: String) -> LogonError {
        .account(.nameTaken, "There is an account \"\(name)\" already: choose another name.")
    }
}
