import HttpC
package import HttpCTerminal
import HttpConvLogon
import HttpConvPlatform
import HttpConvVault
import HttpConversationNIO

/// The accounts of a profile's logon on this machine. No server is asked, and no vault is opened.
package struct ProfileAccounts: Sendable {
    /// The directory of the accounts, below the profile's.
    private static let folder = "logon"

    private let profile: String
    /// The file of `--config`, for messages; nil for the usual one.
    private var configuration: String?
    private let accounts: LogonAccounts

    /// - Returns: nil if the profile has no state
    package init?(of profile: String) throws(CommandFailure) {
        guard let state = try StateDirectory.open(profile: profile, creates: false), state.contains(Self.folder) else {
            return nil
        }
        self.profile = profile
        accounts = LogonAccounts(directory: Self.directory(in: state)) {
            Logon(application: "", directory: $0, transport: NIOTransport())
        }
    }

    /// The same for a profile of the configuration, which messages name.
    package init?(of profile: Profile) throws(CommandFailure) {
        try self.init(of: profile.name)
        configuration = profile.configuration
    }

    /// The directory of a profile's accounts, below a directory of the profile that belongs to the user alone.
    ///
    /// - Parameter creates: whether the profile's directory is created; else it is only looked into
    static func directory(of profile: String, creates: Bool) throws(CommandFailure) -> URL {
        if let state = try StateDirectory.open(profile: profile, creates: creates) { return directory(in: state) }
        guard let base = Directories(ProcessInfo.processInfo.environment).state else {
            throw CommandFailure(.usage, "There is no place for state: set HOME or XDG_STATE_HOME to an absolute path.")
        }
        return URL(exactPath: "\(base)/\(profile)/\(folder)", isDirectory: true)
    }

    private static func directory(in state: StateDirectory) -> URL {
        state.url.appending(path: folder, directoryHint: .isDirectory)
    }

    /// A row for each account: its name, user, server and state, for people.
    package func rows() async throws(CommandFailure) -> [[String]] {
        do throws(LogonError) {
            let selected = try? await accounts.selected()
            return try await accounts.list().map { account in
                let state = account.problem ?? (account.isRegistered ? "registered" : "not registered")
                return [account.name, account.userName ?? "", account.server ?? "", state].map {
                    TerminalText.sanitise($0)
                } + [account.id == selected?.id ? "selected" : ""]
            }
        } catch { throw CommandFailure(error) }
    }

    /// The name of each account, nil for the first, and its state, for people.
    func states() async throws(CommandFailure) -> [(name: String?, state: String)] {
        try await rows().map { row in
            let words = row[3...].filter { !$0.isEmpty }.joined(separator: ", ")
            return (row[0] == LogonAccount.firstName ? nil : row[0], words)
        }
    }

    /// The names that a shell's completion can offer.
    package var names: [String] { accounts.readableNames() }

    /// Selects an account, which is used from then on.
    package func select(_ name: String) async throws(CommandFailure) {
        do throws(LogonError) {
            try await accounts.select(try await accounts.account(named: name).id)
        } catch { throw failure(error) }
    }

    /// Locks vaults, which then need their passcodes again.
    ///
    /// - Parameter name: the name of an account; nil: all accounts
    /// - Returns: whether there is a vault
    package func lock(_ name: String?) async throws(CommandFailure) -> Bool {
        var ids: [LogonAccount.ID] = []
        // The first vault is locked even if the other accounts cannot be read.
        if name == nil { forgetKey(of: .first) }
        do throws(LogonError) {
            if let name {
                ids = [try await accounts.account(named: name).id]
            } else {
                ids = try await accounts.list().map(\.id)
            }
        } catch { throw failure(error) }
        for id in ids { forgetKey(of: id) }
        return !ids.isEmpty
    }

    /// Removes an account from this machine, without its server and its passcode.
    ///
    /// - Parameter name: the account of the command line; nil: the profile's, else the selected one
    /// - Returns: the account, for messages, and whether there was anything to remove
    package static func remove(
        _ name: String?, of profile: Profile
    ) async throws(CommandFailure) -> (words: String, isRemoved: Bool) {
        guard let own = try ProfileAccounts(of: profile) else { return ("the profile \"\(profile.name)\"", false) }
        let choice = AccountChoice.known(name ?? profile.logon?.account)
        let account = try await choice.account(in: own.accounts, of: profile)
        let words = account.words(of: profile.name)
        guard account.isRegistered || account.id != .first else { return (words, false) }
        own.forgetKey(of: account.id)
        do throws(LogonError) { try await own.accounts.remove(account.id) } catch {
            throw own.failure(error)
        }
        return (words, true)
    }

    private func failure(_ error: LogonError) -> CommandFailure {
        AccountChoice.failure(error, of: profile, in: configuration)
    }

    private func forgetKey(of id: LogonAccount.ID) {
        guard let key = VaultKeyName.of(accounts.directory(of: id)) else { return }
        SharedLogon.systemKeys.forget(key)
    }
}

extension LogonAccount {
    /// The account of a profile, for messages.
    func words(of profile: String) -> String {
        id == .first ? "the profile \"\(profile)\"" : "the account \"\(name)\" of the profile \"\(profile)\""
    }
}

/// A command's choice of the account of a profile.
enum AccountChoice: Sendable {
    /// The named account, else the selected one.
    case known(String?)
    /// The same; an account that is missing is added.
    case added(String?)
    /// A person chooses.
    case asked(@Sendable (LogonAccounts) async throws(LogonError) -> LogonAccount)

    func account(in accounts: LogonAccounts, of profile: Profile) async throws(CommandFailure) -> LogonAccount {
        do throws(LogonError) {
            switch self {
            case .known(let name?): return try await accounts.account(named: name)
            case .added(let name?):
                do throws(LogonError) { return try await accounts.account(named: name) } catch {
                    guard (error.underlyingError as? LogonAccountError)?.code == .unknownName else { throw error }
                    return try await accounts.add(named: name)
                }
            case .known(nil), .added(nil):
                if let selected = try await accounts.selected() { return selected }
                return try await accounts.account(named: LogonAccount.firstName)
            case .asked(let choose): return try await choose(accounts)
            }
        } catch { throw Self.failure(error, of: profile.name, in: profile.configuration) }
    }

    /// The failure for an account that cannot be chosen, with the way to the list.
    static func failure(
        _ error: LogonError, of profile: String, in configuration: String?
    ) -> CommandFailure {
        let failure = CommandFailure(error)
        let list = "The accounts are listed by: \(ProfileCommand.line("logon", of: profile, in: configuration)) --list"
        switch error.underlyingError {
        case let cause as LogonAccountError where [.vanished, .unknownName].contains(cause.code):
            return CommandFailure(failure.status, "\(failure.message) \(list)")
        case let cause as DataVaultError where cause.code == .damaged:
            let removal = ProfileCommand.line("unregister", of: profile, in: configuration)
            return CommandFailure(
                failure.status, "\(failure.message) \(list). One is removed by: \(removal) --local --account NAME")
        default: return failure
        }
    }
}
