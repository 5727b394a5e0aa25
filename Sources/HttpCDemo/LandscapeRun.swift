import Foundation
import HttpC
import HttpCTerminal
import HttpConvSystem
import TestLandscape

/// The embedded servers in the foreground.
package enum LandscapeRun {
    /// Runs the servers until Ctrl-C, and prints their addresses.
    ///
    /// - Parameters:
    ///   - port: the first of twelve consecutive ports; nil for free ones
    ///   - authorityFile: the file that gets the certificate to trust
    ///   - certificatesDirectory: the directory that gets client certificates
    /// - Returns: the exit status
    package static func untilInterrupted(
        port: Int?, authorityFile: String?, certificatesDirectory: String?
    ) async throws -> Int32 {
        var configuration = LandscapeConfiguration()
        configuration.basePort = port
        let landscape = try await start(configuration)
        var trust = ""
        if let authorityFile {
            do { try await OutputFile.write(landscape.certificates.authorityPEM, to: authorityFile) } catch {
                await landscape.stop()
                throw error
            }
            trust = "Trust      --cacert \(authorityFile)\n"
        }
        if let certificatesDirectory {
            let names = landscape.users.map(\.name) + ["robot"]
            do {
                try landscape.certificates.writeClients(
                    named: names, to: URL(exactPath: certificatesDirectory, isDirectory: true))
            } catch {
                await landscape.stop()
                let place = (error as NSError).userInfo[NSFilePathErrorKey] as? String ?? certificatesDirectory
                throw CommandFailure(
                    .outputFailed, "Cannot write \"\(TerminalText.sanitise(place))\": \(Posix.reason(of: error)).")
            }
            trust +=
                "Show       --cert \(certificatesDirectory)/alice.p12:\(LandscapeCertificates.passphrase)   "
                + "also alice.pem, alice-past, -future, -revoked\n"
        }
        let text =
            landscape.tableOfContents + "\nAdmin API  X-Landscape-Token: \(landscape.adminToken)\n" + trust
            + "\nRunning until Ctrl-C.\n"
        _ = SystemCalls.writeAll(1, Array(text.utf8))
        await Interruption.shared.cancelling { await Interruption.waitForCancellation() }
        await landscape.stop()
        return Interruption.shared.status ?? ExitStatus.interrupted.rawValue
    }

    static func start(_ configuration: LandscapeConfiguration) async throws -> Landscape {
        do { return try await Landscape.start(configuration) } catch {
            throw CommandFailure(.connectionFailed, "The landscape cannot be started: \(error)")
        }
    }
}
