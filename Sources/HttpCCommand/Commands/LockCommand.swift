import ArgumentParser
import Foundation
import HttpC

/// `httpc lock`: locks vaults, which then need their passcodes again. It needs no configuration, so that no mistake
/// there can prevent it.
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Locks the vault of a profile now, or of all profiles.")

    @Option(
        help: ArgumentHelp("The profile; all where none is named.", valueName: "name"),
        completion: CompletedNames.profiles)
    var profile: String?

    @Flag(name: .shortAndLong, help: "No messages.")
    var silent = false

    func run() throws {
        if let profile { try ProfileChoice.requireKnown(profile) }
        var locked: [String] = []
        for name in profile.map({ [$0] }) ?? StateDirectory.profiles() {
            guard let state = try StateDirectory.open(profile: name, creates: false),
                state.contains(SharedLogon.folder),
                let key = VaultKeyName.of(state.url.appending(path: SharedLogon.folder))
            else { continue }
            SharedLogon.systemKeys.forget(key)
            locked.append("\"\(name)\"")
        }
        guard !silent else { return }
        Diagnostics.write(
            locked.isEmpty
                ? "httpc: nothing is registered\(profile.map { " with the profile \"\($0)\"" } ?? "")."
                : "httpc: locked: \(locked.joined(separator: ", ")).")
    }
}
