import ArgumentParser
import Foundation
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc lock`: locks vaults, which then need their passcodes again. It needs no configuration, so that no mistake
/// there can prevent it.
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Locks the vault of a profile now, or of all profiles.")

    @Option(
        help: ArgumentHelp("The profile; all where none is named.", valueName: "name"),
        completion: CompletedProfiles.kind)
    var profile: String?

    @Flag(name: .shortAndLong, help: "No messages.")
    var silent = false

    func run() throws {
        if let profile { try ProfileChoice.requireKnown(profile) }
        var locked: [String] = []
        for name in profile.map({ [$0] }) ?? StateDirectory.profiles() {
            if try SharedLogon.lock(profile: name) { locked.append("\"\(name)\"") }
        }
        guard !silent else { return }
        Diagnostics.write(
            locked.isEmpty
                ? "httpc: nothing is registered\(profile.map { " with the profile \"\($0)\"" } ?? "")."
                : "httpc: locked: \(locked.joined(separator: ", ")).")
    }
}
