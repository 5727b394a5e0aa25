import ArgumentParser

/// The proxy between httpc and the servers.
struct ProxyOptions: ParsableArguments {
    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("proxy")], parsing: .unconditional,
        help: ArgumentHelp(
            "Goes through this proxy: http, https, socks5h or socks5; '' is none, whatever the environment says.",
            valueName: "[protocol://]host[:port]"))
    var proxy: String?

    @Option(
        name: [.customShort("U", allowingJoined: true), .customLong("proxy-user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User name and password for the proxy, and for nobody else; without the password httpc asks on the terminal.",
            valueName: "user[:password]"))
    var user: String?

    @Option(
        name: .customLong("noproxy"), parsing: .unconditional,
        help: ArgumentHelp(
            "Hosts that are reached without the proxy, rather than those of no_proxy: names, addresses, ranges; * is all.",
            valueName: "list"))
    var bypass: String?

    @Option(
        name: .customLong("proxy-cacert"),
        help: ArgumentHelp(
            "Trusts the certificates of this PEM file only, for a proxy that is reached by https.", valueName: "file"))
    var caCertificate: String?
}
