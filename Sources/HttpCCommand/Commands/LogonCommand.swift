import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon

/// `httpc logon`: registers this device, or opens its vault.
struct LogonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logon",
        abstract:
            "Registers with a mobile server and creates the vault for the registration. If there is one already, unlocks it.",
        discussion: """
            A profile can have several accounts on one device, each with a passcode of its own. --account NAME adds one; \
            --switch NAME selects the one that is used without --account. httpc unregister --account NAME removes one.
            """)

    @Argument(
        help: ArgumentHelp("The server where the application registers; --profile can name it.", valueName: "URL"))
    var url: String?

    @OptionGroup var settings: ProfileSettings
    @OptionGroup(title: "The account") var account: AccountOptions

    @Flag(help: "Lists the profile's accounts. No server is asked.") var list = false

    @Option(
        name: .customLong("switch"),
        help: ArgumentHelp("Selects an account. No server is asked, and nothing is unlocked.", valueName: "name"),
        completion: CompletedAccounts.kind)
    var selected: String?

    @Flag(help: "Shows the accounts, to choose, add or remove one. The chosen one is selected.") var choose = false

    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    var options: ProfileOptions { ProfileOptions(url: url, settings) }

    func validate() throws {
        guard [list, choose, selected != nil, account.account != nil].filter(\.self).count < 2 else {
            throw ValidationError("--list, --switch, --choose and --account exclude each other.")
        }
    }

    func run() async throws {
        if list || selected != nil { return try await withAccounts() }
        try await options.withLogon(web: web, passcode: passcode, account: account, isFirst: true, chooses: choose) {
            [choose] run in
            let isFirst = await run.logon.state == .nothing
            try await run.open(registering: true)
            if choose { try await run.shared.accounts.select(run.shared.account.id) }
            guard isFirst, let registration = await run.logon.registration else {
                return run.diagnostics.message("the vault of \(run.words) is unlocked.")
            }
            run.diagnostics.message(
                "\(run.words) is registered with a \(registration.communicator.name) at "
                    + "\(registration.root), and its vault is unlocked.")
        }
    }

    private func withAccounts() async throws {
        try await options.withLogonProfile { [selected] profile, run in
            let accounts = try ProfileAccounts(of: profile)
            if let selected {
                guard let accounts else {
                    throw CommandFailure(
                        .usage,
                        "The profile \"\(profile.name)\" has no account yet. Run: \(profile.commandLine("logon"))")
                }
                try await accounts.select(selected)
                return run.diagnostics.message("the account \"\(TerminalText.sanitise(selected))\" is selected.")
            }
            let rows = try await accounts?.rows() ?? []
            if rows.isEmpty { run.diagnostics.message("the profile \"\(profile.name)\" has no account yet.") }
            try TextTable.print(["ACCOUNT", "USER", "SERVER", "STATE", ""], rows)
        }
    }
}

extension Communicator {
    /// The name for people.
    fileprivate var name: String {
        switch self {
        case .gateway: "gateway"
        case .mobileServer: "mobile server"
        case .relayServer: "mobile server behind a relay server"
        case .reverseProxy: "mobile server behind a reverse proxy"
        }
    }
}
