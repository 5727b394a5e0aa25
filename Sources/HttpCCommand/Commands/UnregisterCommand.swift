import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon

/// `httpc unregister`: ends this device's registration.
struct UnregisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister", abstract: "Removes a profile's registration from the server, then its vault.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "The account") var account: AccountOptions
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Flag(help: "Removes the vault without the server, and without the passcode.") var local = false

    func run() async throws {
        guard !local else { return try await removeHere() }
        try await options.withLogon(web: web, passcode: passcode, account: account) { run in
            let (accounts, account) = (run.shared.accounts, run.shared.account)
            guard await run.logon.state != .nothing else {
                if account.id != .first { try await accounts.remove(account.id) }
                return run.diagnostics.message("nothing is registered with \(run.words).")
            }
            try await run.open()
            try await run.shared.removing {
                // If the server cannot be told, everything stays.
                try await run.logon.unregister()
                try await accounts.remove(account.id)
            }
            run.diagnostics.message("\(run.words) is registered no more, and its vault is removed.")
        }
    }

    private func removeHere() async throws {
        try await options.withLogonProfile { [account] profile, run in
            let (words, isRemoved) = try await ProfileAccounts.remove(account.account, of: profile)
            run.diagnostics.message(
                isRemoved
                    ? "everything of \(words) is removed here. At the server the registration is still there: its "
                        + "administrator can remove it." : "nothing is registered with \(words).")
        }
    }
}
