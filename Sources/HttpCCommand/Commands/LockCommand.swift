import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// `httpc lock`: locks vaults, which then need their passcodes again. It needs no configuration, so that no mistake
/// there can prevent it.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Locks the vault of a profile now, or of all profiles.")

    @Option(
        help: ArgumentHelp("The profile; default: all profiles.", valueName: "name"),
        completion: CompletedProfiles.kind)
    var profile: String?

    @Option(
        help: ArgumentHelp("The account of that profile; default: all accounts.", valueName: "name"),
        completion: CompletedAccounts.kind)
    var account: String?

    @Flag(name: .shortAndLong, help: "No messages.")
    var silent = false

    func validate() throws {
        if account != nil, profile == nil { throw ValidationError("--account needs --profile.") }
    }

    func run() async throws {
        if let profile { try ProfileChoice.requireKnown(profile) }
        var locked: [String] = []
        var failure: CommandFailure?
        for name in profile.map({ [$0] }) ?? StateDirectory.profiles() {
            do throws(CommandFailure) {
                if try await ProfileAccounts(of: name)?.lock(account) == true { locked.append("\"\(name)\"") }
            } catch {
                // The other profiles are locked all the same.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        guard !silent else { return }
        Diagnostics.write(
            locked.isEmpty
                ? "httpc: nothing is registered\(profile.map { " with the profile \"\($0)\"" } ?? "")."
                : "httpc: locked: \(locked.joined(separator: ", ")).")
    }
}
