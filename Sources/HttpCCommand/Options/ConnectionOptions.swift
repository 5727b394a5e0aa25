import ArgumentParser
import HttpC
import HttpConversationNIO

/// How the server is reached, and how long that may take.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .customLong("unix-socket"),
        help: ArgumentHelp(
            "Reaches the servers of the URLs by this Unix socket; where a redirect leads elsewhere, the network is used.",
            valueName: "path"))
    var unixSocket: String?

    @Option(
        name: .customLong("pinnedpubkey"),
        help: ArgumentHelp(
            "Speaks only to servers with this public key: the SHA-256 of it in base64; several with semicolons.",
            valueName: "sha256//hash"))
    var pinnedPublicKey: String?

    @Flag(
        name: .customLong("compressed"), inversion: .prefixedNo,
        help: "Asks for a compressed body and unpacks it.")
    var compressed = true

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp("Seconds that connecting may take.", valueName: "seconds"))
    var connectTimeout: Double?

    @Option(
        name: .customLong("expect100-timeout"),
        help: ArgumentHelp(
            "Seconds that a large body waits for the server to want it (100 Continue); else 1.", valueName: "seconds"))
    var continueTimeout: Double?

    @Option(
        name: .customLong("max-redirs"), parsing: .unconditional,
        help: ArgumentHelp("Redirects that are followed; -1 means any number.", valueName: "number"))
    var maximumRedirects: Int = 20

    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follows redirects (the default).")
    var location = false

    @Flag(name: .customLong("no-location"), help: "Does not follow redirects: the 3xx is the answer.")
    var noLocation = false

    /// --unix-socket: for the servers that were typed, which no proxy is for then.
    ///
    /// - Returns: those that are reached by it
    func reachBySocket(
        _ named: Set<Origin>, proxy: String?, _ transport: inout NIOTransport.Configuration
    ) throws(CommandFailure) -> Set<Origin> {
        guard let unixSocket else { return [] }
        if proxy?.isEmpty == false {
            throw CommandFailure(
                .usage, "--unix-socket and --proxy exclude each other: a socket is reached by no proxy.")
        }
        do throws(ConversationError) {
            for origin in named {
                try transport.addresses.set(unixSocket: unixSocket, for: try origin.url(requestTarget: "/"))
            }
        } catch {
            throw CommandFailure(error)
        }
        return named
    }

    func validate() throws {
        try ServerOptions.check(connectTimeout, "--connect-timeout")
        if let seconds = continueTimeout, !(seconds >= 0 && seconds < 1e9) {
            throw ValidationError("--expect100-timeout needs a number from 0.")
        }
        if maximumRedirects < -1 { throw ValidationError("--max-redirs needs a number from -1.") }
    }
}
