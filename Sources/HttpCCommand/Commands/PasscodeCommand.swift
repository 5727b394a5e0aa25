import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

/// `httpc passcode`: changes the passcode of a profile's vault.
struct PasscodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode", abstract: "Changes the passcode of a profile's vault.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "The account") var account: AccountOptions
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup var new: NewPasscodeOptions

    func run() async throws {
        try await options.withLogon(passcode: passcode, account: account) { [new] run in
            guard await run.logon.state != .nothing else { throw run.shared.notRegistered }
            // A change asks for the old passcode again, even if the vault is open.
            try await run.dialogue(new: new.source).changePasscode()
            try await run.shared.shareKey()
            run.diagnostics.message("the passcode of \(run.words) is changed.")
        }
    }
}
