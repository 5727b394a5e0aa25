import ArgumentParser
import Foundation
import HttpC
import TestLandscape

/// `httpc landscape`: the embedded servers in the foreground.
struct LandscapeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "landscape", abstract: "Runs servers on loopback with everything a client may meet, until Ctrl-C.")

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
        var configuration = LandscapeConfiguration()
        configuration.basePort = port
        let landscape = try await Self.start(configuration)
        var trust = ""
        if let caOut {
            do { try await OutputFile.write(landscape.certificates.authorityPEM, to: caOut) } catch {
                await landscape.stop()
                throw error
            }
            trust = "Trust      --cacert \(caOut)\n"
        }
        if let certificatesOut {
            let names = landscape.users.map(\.name) + ["robot"]
            do {
                try landscape.certificates.writeClients(
                    named: names, to: URL(filePath: certificatesOut, directoryHint: .isDirectory))
            } catch {
                await landscape.stop()
                let place = (error as NSError).userInfo[NSFilePathErrorKey] as? String ?? certificatesOut
                throw CommandFailure(
                    .outputFailed, "Cannot write \"\(TerminalText.sanitise(place))\": \(Posix.reason(of: error)).")
            }
            trust +=
                "Show       --cert \(certificatesOut)/alice.p12:\(LandscapeCertificates.passphrase)   "
                + "also alice.pem, alice-past, -future, -revoked\n"
        }
        let text =
            landscape.tableOfContents + "\nAdmin API  X-Landscape-Token: \(landscape.adminToken)\n" + trust
            + "\nRunning until Ctrl-C.\n"
        _ = Posix.writeAll(1, Array(text.utf8))
        await Interruption.shared.cancelling { await Self.waitForCancellation() }
        await landscape.stop()
        throw ExitCode(Interruption.shared.status ?? ExitStatus.interrupted.rawValue)
    }

    static func start(_ configuration: LandscapeConfiguration) async throws -> Landscape {
        do { return try await Landscape.start(configuration) } catch {
            throw CommandFailure(.connectionFailed, "The landscape cannot be started: \(error)")
        }
    }

    private static func waitForCancellation() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }
}
