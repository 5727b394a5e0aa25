import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc credential keyring`: the command line of Python's keyring, as pip uses it.
struct KeyringCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyring", abstract: "Answers pip as the program keyring.",
        discussion: """
            pip --keyring-provider subprocess starts a program named keyring, which is share/httpc/helpers/keyring of the \
            installation: link it into a folder of the PATH. Older versions of pip need a user name in the URL of the \
            index; for a token any name will do: https://oauth2@pypi.example.com/simple/

            For a file of a server that is in no index pip names the host alone, and gets nothing unless that is this \
            machine: the file may come over http.
            """)

    /// The values of `--mode`.
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case password, creds
    }

    /// The values of `--output`.
    enum Output: String, ExpressibleByArgument, CaseIterable {
        case plain, json
    }

    @Argument(help: "get, set or del, from the program. Nothing is stored: logins are in profiles.")
    var action: String
    @Argument(help: "The URL of the index. A host alone does for this machine.") var url: String
    @Argument(help: "The user name.") var username: String?
    @Option(help: "creds prints the user name, too, on a line before the password.") var mode = Mode.password
    @Option(help: "json prints an object.") var output = Output.plain
    @OptionGroup var options: ProfileSettings

    func run() async throws {
        guard action == "get" else {
            throw CommandFailure(
                .usage, "httpc stores and deletes no passwords of other programs: they are in profiles. See httpc init."
            )
        }
        try SecretOutput.requireNoTerminal("The answer to pip")
        let (url, username) = (url, username)
        try await options.lend { [mode, output] lender in
            guard let place = try lender.place(sureOf: url),
                let login = try await lender.credential(for: place)?.login(for: username)
            else { return false }
            try StandardOutput.print(Self.answer(login, mode, output))
            return true
        }
    }

    private static func answer(
        _ login: (username: String, secret: Redacted<String>), _ mode: Mode, _ output: Output
    ) -> String {
        guard output == .json else {
            return (mode == .creds ? login.username + "\n" : "") + login.secret.value + "\n"
        }
        let name: [(String, String)] = mode == .creds ? [("username", login.username)] : []
        return HelperJSON.texts(name + [("password", login.secret.value)]).line
    }
}
