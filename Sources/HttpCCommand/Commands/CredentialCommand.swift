import ArgumentParser

/// `httpc credential`: logins of profiles for other programs, in their own protocols.
struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Gives the logins of profiles to other programs: git, kubectl, Docker's programs, pip.",
        discussion: """
            A program gets the access token of the profile that matches its URL, renewed where it is about to end, else \
            the profile's user name and password. It gets nothing for other URLs, and nobody is asked for anything.
            """,
        subcommands: [
            GitCredentialCommand.self, KubernetesCredentialCommand.self, DockerCredentialCommand.self,
            KeyringCredentialCommand.self,
        ])

    /// The maximum input from a program, in bytes.
    static let longestInput = 64 << 10
}
