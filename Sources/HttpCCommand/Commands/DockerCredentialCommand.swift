import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc credential docker`: a credential helper of Docker's programs, started by the name `docker-credential-httpc`.
struct DockerCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Answers programs with registries as their credential helper.",
        discussion: """
            docker, skopeo, podman and others start docker-credential-httpc, which starts this, if their configuration \
            (~/.docker/config.json, or the file of REGISTRY_AUTH_FILE) has:
            {"credHelpers": {"registry.example.com": "httpc"}}

            They name a registry by its host, so the profile's match needs the whole server.
            """)

    @Argument(help: "get, erase, list or store, from the program. Nothing is stored: logins are in profiles.")
    var action: String
    @OptionGroup var options: ProfileSettings

    /// The words by which programs know that there is no login.
    private static let notFound = "credentials not found in native keychain\n"

    func run() async throws {
        switch action {
        case "get":
            try SecretOutput.requireNoTerminal("The answer to Docker")
            try await options.lend { lender in
                let urls = try Self.readURLs()
                guard let place = try lender.place(urls),
                    let login = try await lender.credential(for: place)?.login(for: nil)
                else {
                    try StandardOutput.print(Self.notFound)
                    return false
                }
                try StandardOutput.print(DockerCredential.answer(place.url, login))
                return true
            }
        case "erase":
            try await options.lend { lender in
                if let place = try lender.place(try Self.readURLs()) { try await lender.refuse(nil, at: place) }
                return true
            }
        case "list":
            try await options.lend { lender in
                try StandardOutput.print(DockerCredential.list(lender.logins))
                return true
            }
        case "store":
            _ = try InputFile.standardInput(atMost: CredentialCommand.longestInput)
            throw CommandFailure(
                .usage, "httpc stores no logins of docker login: they are in profiles. See httpc init.")
        default: throw CommandFailure(.usage, "A credential helper of Docker knows get, erase, list and store.")
        }
    }

    private static func readURLs() throws(CommandFailure) -> [TargetURL] {
        try DockerCredential.urls(try InputFile.standardInput(atMost: CredentialCommand.longestInput))
    }
}
