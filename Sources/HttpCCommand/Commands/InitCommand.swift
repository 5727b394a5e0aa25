import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvFormats

/// `httpc init URL`: writes the profile for a URL.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Finds out which login a URL wants, writes a profile for it, and tries it.",
        discussion: """
            It sends safe requests without credentials (only with the certificate of --cert, if that is given), asks \
            what it cannot know, and appends the profile to the configuration file, which stays as it is otherwise. \
            Options about the server, --cert, --web and --answer-env go into it. A login at another server is written \
            only after you have confirmed that server, or named it with --issuer or --answer-origin.
            """)

    @Argument(help: ArgumentHelp("The URL to log in to.", valueName: "URL"))
    var url: String

    @Option(
        help: ArgumentHelp("The name of the new profile; by default a part of the host's name.", valueName: "name"))
    var profile: String?

    @OptionGroup var options: ProfileCommonOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Flag(help: "Asks no questions: uses the defaults and the options.")
    var yes = false

    @Option(help: ArgumentHelp("The URLs that the profile is for, rather than the whole server.", valueName: "URL"))
    var match: String?

    @Option(
        name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp("The user name. The password is asked for at each login, unless it comes from elsewhere."))
    var user: String?

    @Option(help: ArgumentHelp("The environment variable with the password.", valueName: "VAR"))
    var passwordEnv: String?

    @Option(help: ArgumentHelp("The file with the password, which only you can read.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("The program that prints the password, with its arguments.", valueName: "command"))
    var passwordCommand: String?

    @Option(help: ArgumentHelp("The entry of the desktop's key ring with the password.", valueName: "entry"))
    var passwordKeyring: String?

    @Option(help: ArgumentHelp("The issuer URL of the authorization server, for OAuth2.", valueName: "URL"))
    var issuer: String?

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The client's id there.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("The environment variable with the client's secret.", valueName: "VAR"))
    var clientSecretEnv: String?

    @Option(help: ArgumentHelp("The scopes to ask for, with spaces between them.", valueName: "scopes"))
    var scopes: String?

    /// The grants of new profiles: the others need an assertion or a token, whose place `init` does not ask for.
    enum Grant: String, CaseIterable, ExpressibleByArgument {
        case code, device, password
        case clientCredentials = "client-credentials"
    }

    @Option(help: "How the tokens are obtained.")
    var grant: Grant?

    func validate() throws {
        if user?.contains(":") == true {
            throw ValidationError("--user takes no password here: use --password-env or --password-file.")
        }
        if [passwordEnv, passwordFile, passwordCommand, passwordKeyring].count(where: { $0 != nil }) > 1 {
            throw ValidationError(
                "--password-env, --password-file, --password-command and --password-keyring exclude each other.")
        }
        if let passwordCommand, SecretSource(commandLine: passwordCommand) == nil {
            throw ValidationError("--password-command needs a program; a quote in it needs an end.")
        }
        if let passwordKeyring, SecretSource(keyringEntry: passwordKeyring) == nil {
            throw ValidationError("--password-keyring needs a name, or attributes as a=b,c=d.")
        }
    }

    private var password: SecretSource? {
        passwordEnv.map { .environment($0) } ?? passwordFile.map { .file($0) }
            ?? passwordCommand.flatMap { SecretSource(commandLine: $0) }
            ?? passwordKeyring.flatMap { SecretSource(keyringEntry: $0) }
    }

    func run() async throws {
        var settings = InitSettings()
        settings.isUnattended = yes
        settings.name = profile
        settings.match = match
        settings.user = user
        settings.password = password
        settings.issuer = issuer
        settings.clientID = clientID
        settings.clientSecret = clientSecretEnv.map { .environment($0) }
        settings.scopes = scopes.map { $0.split(ascii: " ").map { String($0) } }
        settings.grant = grant.flatMap { OAuth2Table.Grant(rawValue: $0.rawValue) }
        try await options.writeProfile(for: url, settings, web)
    }
}
