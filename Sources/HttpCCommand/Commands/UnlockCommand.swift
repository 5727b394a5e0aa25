import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon

/// `httpc unlock`: opens a profile's vault for a while, for all processes.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract:
            "Unlocks a profile's vault. It locks after being unused for the time that its policy sets, at most a day.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "The account") var account: AccountOptions
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions

    func run() async throws {
        try await options.withLogon(passcode: passcode, account: account) { run in
            try await run.open()
            let isShared = try await run.shared.isKeyShared
            run.diagnostics.message(
                "the vault of \(run.words) is unlocked"
                    + (isShared ? "." : ", but this system keeps no key of it: each httpc asks for the passcode."))
        }
    }
}
