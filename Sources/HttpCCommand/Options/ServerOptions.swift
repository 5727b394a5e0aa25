import ArgumentParser

/// The options of every command that talks to a server: the trusted servers, the way there, and time limits.
struct ServerOptions: ParsableArguments {
    @Flag(
        name: [.customShort("k"), .customLong("insecure")],
        help: "Does not check the server's certificate: anybody can read and change what is exchanged.")
    var insecure = false

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trusts the root certificates of this PEM file only; an intermediate or a server's own is not enough.",
            valueName: "file"))
    var caCertificate: String?

    @Option(
        name: .customLong("capath"),
        help: ArgumentHelp("Trusts the certificates in the PEM files of this directory only.", valueName: "dir"))
    var caDirectory: String?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")],
        help: ArgumentHelp(
            "The limit for everything together, in seconds. Above 60 it is also the limit for a server's silence. 0 removes it.",
            valueName: "seconds"))
    var maximumTime: Double?

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp("Seconds that connecting may take.", valueName: "seconds"))
    var connectTimeout: Double?

    @Flag(exclusivity: .chooseLast)
    var newestVersion: NewestVersion = .http2

    @Flag(exclusivity: .chooseLast)
    var addressFamily: AddressFamilyFlag?

    @Option(
        name: .customLong("resolve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connects to these addresses for a host and port, and asks no name server; IPv6 in brackets. May be given several times.",
            valueName: "host:port:addr[,addr]"))
    var resolved: [String] = []

    @Option(
        name: .customLong("unix-socket"),
        help: ArgumentHelp(
            "Reaches the servers of the URLs, else that of the profile, by this Unix socket; redirects and logins that lead elsewhere use the network.",
            valueName: "path"))
    var unixSocket: String?

    @Option(
        name: .customLong("pinnedpubkey"),
        help: ArgumentHelp(
            "Speaks only to servers with this public key: the SHA-256 of it in base64. Separate several pins with semicolons.",
            valueName: "sha256//hash"))
    var pinnedPublicKey: String?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("proxy")], parsing: .unconditional,
        help: ArgumentHelp(
            "Goes through this proxy: http, https, socks5h or socks5; '' is none, regardless of the environment.",
            valueName: "[protocol://]host[:port]"))
    var proxy: String?

    @Option(
        name: [.customShort("U", allowingJoined: true), .customLong("proxy-user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User name and password for the proxy only; without the password httpc asks on the terminal.",
            valueName: "user[:password]"))
    var proxyUser: String?

    @Option(
        name: .customLong("noproxy"), parsing: .unconditional,
        help: ArgumentHelp(
            "Hosts that are reached without the proxy, rather than those of no_proxy: names, addresses, ranges; * is all.",
            valueName: "list"))
    var proxyBypass: String?

    @Option(
        name: .customLong("proxy-cacert"),
        help: ArgumentHelp(
            "Trusts the certificates of this PEM file only, for a proxy that is reached by https.", valueName: "file"))
    var proxyCACertificate: String?

    func validate() throws {
        try Self.check(maximumTime, "--max-time")
        try Self.check(connectTimeout, "--connect-timeout")
    }

    /// The time for everything together, in seconds; nil: no limit.
    var timeLimit: Double? { maximumTime == 0 ? nil : maximumTime }

    /// The maximum silence of a server: the time limit for everything together, but at least a minute.
    ///
    /// - Parameter isStream: whether the answer may be a stream that is quiet for long, as behind a relay
    func silence(isStream: Bool = false) -> Duration {
        max(isStream ? .seconds(15 * 60) : .seconds(60), Self.duration(maximumTime) ?? .zero)
    }

    /// The value of an option; nil for 0, which stands for the default, as with curl.
    static func duration(_ seconds: Double?) -> Duration? { seconds.flatMap { $0 > 0 ? .seconds($0) : nil } }

    /// Refuses an invalid duration.
    static func check(_ seconds: Double?, _ name: String, allowsZero: Bool = true) throws {
        guard let seconds else { return }
        guard seconds > 0 || seconds == 0 && allowsZero else {
            throw ValidationError("\(name) needs a number \(allowsZero ? "from" : "above") 0.")
        }
        guard seconds < 1e9 else { throw ValidationError("\(name) needs a number below 1000000000.") }
    }
}
