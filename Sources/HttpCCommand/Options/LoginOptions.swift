import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// The options of the identity: credentials, profiles and cookies.
struct LoginOptions: ParsableArguments {
    @Option(
        name: [.customShort("u", allowingJoined: true), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User name and password for Basic and Digest; without the password httpc asks on the terminal.",
            valueName: "user[:password]"))
    var user: String?

    @Flag(
        name: [.customShort("n"), .customLong("netrc")],
        help: "Takes user name and password from ~/.netrc if -u and the URL have none; takes precedence over profiles.")
    var netrc = false

    @Flag(name: .customLong("netrc-optional"), help: "As -n; the file may be missing.")
    var netrcOptional = false

    @Option(
        name: .customLong("netrc-file"),
        help: ArgumentHelp("As -n, with this file, which only you may be able to read.", valueName: "file"))
    var netrcFile: String?

    @Flag(
        name: .customLong("basic"),
        help:
            "Sends -u or the profile's password by Basic before it is asked for, to the servers of the URLs: over https, or to this machine."
    )
    var sendsBasic = false

    @Flag(name: .customLong("digest"), help: "Answers Digest only, never Basic.")
    var digestOnly = false

    @Flag(name: .customLong("anyauth"), help: "Answers Basic also where the server has offered Digest.")
    var anyAuthentication = false

    @Flag(
        name: .customLong("negotiate"),
        help:
            "Answers Negotiate at the servers of the URLs with Kerberos tickets (kinit): over https, or to this machine."
    )
    var negotiates = false

    @Flag(name: .customLong("proxy-negotiate"), help: "Answers Negotiate at the proxy with Kerberos tickets.")
    var negotiatesWithProxies = false

    @Option(
        name: .customLong("delegation"),
        help: ArgumentHelp(
            "Whether a server may act as you: none (the default), policy (the realm decides), always.",
            valueName: "level"))
    var delegation: String?

    @Option(
        name: .customLong("service-name"),
        help: ArgumentHelp("The first part of the name of the Kerberos service; HTTP by default.", valueName: "name"))
    var serviceName: String?

    @Flag(name: .customLong("location-trusted"), help: "Lets -u answer every origin that a redirect leads to.")
    var trustsRedirects = false

    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp("The profile to use, rather than the longest match.", valueName: "name"),
        completion: CompletedProfiles.kind)
    var profile: String?

    @Option(
        name: .customLong("account"),
        help: ArgumentHelp("The account of the profile's logon, rather than the selected one.", valueName: "name"),
        completion: CompletedAccounts.kind)
    var account: String?

    @Option(
        name: .customLong("config"), help: ArgumentHelp("The configuration file with the profiles.", valueName: "file"))
    var config: String?

    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Cookies to send: name=value, or a file of cookies.", valueName: "data|file"))
    var cookies: [String] = []

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("cookie-jar")], parsing: .unconditional,
        help: ArgumentHelp("Writes the cookies to a file at the end.", valueName: "file"))
    var cookieJar: String?

    /// Reads the .netrc file that the options name; nil if they name none, or if -u gives the login.
    func netrcLogins(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> NetrcFile? {
        guard netrc || netrcOptional || netrcFile != nil, user == nil else { return nil }
        guard let path = netrcFile ?? environment["HOME"].map({ $0 + "/.netrc" }) else {
            throw CommandFailure(.inputFailed, "There is no .netrc file: HOME is not set. Name one with --netrc-file.")
        }
        return try NetrcFile.load(path, isOptional: netrcOptional)
    }

    /// The settings of Kerberos.
    func kerberos() throws(CommandFailure) -> KerberosSettings {
        var settings = KerberosSettings()
        settings.isForServers = negotiates
        settings.isForProxies = negotiatesWithProxies
        if let delegation {
            guard let level = KerberosLogin.Delegation(rawValue: delegation.lowercased()) else {
                throw CommandFailure(.usage, "--delegation must be one of: none, policy, always.")
            }
            settings.delegation = level
        }
        settings.service = serviceName
        do throws(KerberosError) { _ = try KerberosLogin(.cache(), service: serviceName ?? "HTTP") } catch {
            throw CommandFailure(.usage, "--service-name: \(error.message)")
        }
        return settings
    }

    func validate() throws {
        if sendsBasic, digestOnly { throw ValidationError("--basic and --digest exclude each other.") }
    }
}
