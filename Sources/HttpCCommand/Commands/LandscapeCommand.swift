import ArgumentParser

#if Landscape
import HttpCDemo
#endif

/// `httpc landscape`: the embedded servers in the foreground.
struct LandscapeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "landscape", abstract: "Runs servers on loopback with everything a client may meet, until Ctrl-C.",
        shouldDisplay: EmbeddedServers.areIncluded)

    @Option(help: ArgumentHelp("The first of twelve consecutive ports; free ones otherwise.", valueName: "number"))
    var port: Int?

    @Option(help: ArgumentHelp("Writes the certificate to trust (--cacert) to a file.", valueName: "file"))
    var caOut: String?

    @Option(
        help: ArgumentHelp(
            "Writes client certificates to a directory: PEM and PKCS#12, also expired, revoked ones.", valueName: "dir")
    )
    var certificatesOut: String?

    func validate() throws {
        if let port, !(1...65524).contains(port) { throw ValidationError("--port needs a number from 1 to 65524.") }
    }

    func run() async throws {
        #if Landscape
        throw ExitCode(
            try await LandscapeRun.untilInterrupted(
                port: port, authorityFile: caOut, certificatesDirectory: certificatesOut))
        #else
        throw EmbeddedServers.missing
        #endif
    }
}
