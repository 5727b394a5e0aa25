import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc credential git`: a credential helper of git.
struct GitCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Answers git as its credential helper.",
        discussion: """
            git config --global credential.https://git.example.com.helper '!httpc credential git'
            git config --global credential.https://git.example.com.useHttpPath true

            The second line is for a profile whose match has a path. A token goes as a bearer token if git can send one \
            (2.46 or later), else as a password.
            """)

    @Argument(help: "get, store or erase, from git. A token that git erases is not used again.")
    var action: String
    @OptionGroup var options: ProfileSettings

    func run() async throws {
        switch action {
        case "get":
            try SecretOutput.requireNoTerminal("The answer to git")
            try await options.lend { try await Self.get($0) }
        case "erase": try await options.lend { try await Self.erase($0) }
        default:
            // git tells every helper about a good login; and helpers ignore actions of later versions.
            _ = try InputFile.standardInput(atMost: CredentialCommand.longestInput)
        }
    }

    private static func get(_ lender: CredentialLender) async throws -> Bool {
        let request = try readRequest()
        guard let url = request.url, let place = try lender.place([url]) else { return true }
        do {
            guard let credential = try await lender.credential(for: place) else { return true }
            try StandardOutput.print(try request.answer(credential))
        } catch {
            // Otherwise git would ask for a password that does not exist.
            try StandardOutput.print("quit=1\n")
            throw error
        }
        return true
    }

    private static func erase(_ lender: CredentialLender) async throws -> Bool {
        let request = try readRequest()
        if let url = request.url, let place = try lender.place([url]) {
            try await lender.refuse(request.secret, at: place)
        }
        return true
    }

    private static func readRequest() throws(CommandFailure) -> GitCredentialRequest {
        try GitCredentialRequest(try InputFile.standardInput(atMost: CredentialCommand.longestInput))
    }
}
