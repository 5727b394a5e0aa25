import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvLogon

/// `httpc logon`: registers this device, or opens its vault.
struct LogonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logon",
        abstract: "Registers with a mobile server and makes the vault that keeps it; unlocks it where that is done.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "The passcode") var passcode: PasscodeOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    func run() async throws {
        try await options.withLogon(web: web, passcode: passcode, isFirst: true) { run in
            let isFirst = await run.logon.state == .nothing
            try await run.open(registering: true)
            guard isFirst, let registration = await run.logon.registration else {
                return run.diagnostics.message("the vault of the profile \"\(run.name)\" is unlocked.")
            }
            run.diagnostics.message(
                "the profile \"\(run.name)\" is registered with a \(registration.communicator.name) at "
                    + "\(registration.root), and its vault is unlocked.")
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
