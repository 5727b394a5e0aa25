import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon
import HttpConvPlatform

/// `httpc settings`: the mobile server's current settings for a profile's application.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Gets the server's settings for the application, applies them and prints them.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "The account") var account: AccountOptions
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Flag(help: "Prints JSON.") var json = false

    func run() async throws {
        try await options.withLogon(web: web, passcode: passcode, account: account) { [json] run in
            try await run.open()
            guard let settings = try await run.logon.refreshSettings() else {
                return run.diagnostics.message(
                    "\(run.words) is registered with a gateway, which has no settings.")
            }
            // A newer policy may have another timeout.
            try await run.shared.shareKey()
            let shown = ShownSettings(settings)
            try StandardOutput.print(json ? shown.json : shown.text)
        }
    }
}
