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
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Flag(help: "Removes the vault without the server, and without the passcode.") var local = false

    func run() async throws {
        try await options.withLogon(web: web, passcode: passcode) { [local] run in
            guard await run.logon.state != .nothing else {
                return run.diagnostics.message("nothing is registered with the profile \"\(run.name)\".")
            }
            if local {
                try await run.shared.removing { _ = try await run.logon.deleteUser() }
                return run.diagnostics.message(
                    "everything of the profile \"\(run.name)\" is removed here. At the server the registration is still there: "
                        + "its administrator can remove it.")
            }
            try await run.open()
            try await run.shared.removing { try await run.logon.unregister() }
            run.diagnostics.message("the profile \"\(run.name)\" is registered no more, and its vault is removed.")
        }
    }
}
