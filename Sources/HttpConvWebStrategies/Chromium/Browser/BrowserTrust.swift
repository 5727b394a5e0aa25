#if os(Linux)
import HttpConvAuthFlows
import HttpConvPlatform
import HttpConvSystem

/// Makes the browser trust a private authority, in its temporary home only (security rule S17).
///
/// Chromium on Linux reads such authorities only from an NSS database in the home directory. `certutil` of the NSS
/// tools writes it.
struct BrowserTrust {
    let authorityPEM: String

    /// Writes the database.
    ///
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    func install(in profile: BrowserProfile, environment: [String: String]) async throws {
        guard let certutil = BrowserFinder().program("certutil") else {
            throw WebLoginError(
                .invalidConfiguration,
                "A certificate authority of one's own needs the program certutil: install libnss3-tools (Debian) or nss-tools."
            )
        }
        let database = profile.directory + "/.pki/nssdb"
        let file = profile.directory + "/authority.pem"
        do {
            try FileManager.default.createDirectory(
                atPath: database, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            var steps = [["-N", "--empty-password", "-d", "sql:" + database]]
            for (number, certificate) in certificates.enumerated() {
                try Data(certificate.utf8).write(to: URL(filePath: "\(file)\(number)"))
                steps.append([
                    "-A", "-d", "sql:" + database, "-n", "authority \(number)", "-t", "C,,", "-i", "\(file)\(number)",
                ])
            }
            guard steps.count > 1 else { throw Self.failure("there is no certificate in it") }
            for step in steps {
                let process = try SpawnedProcess(certutil, step, environment: environment)
                guard await process.status == 0 else { throw Self.failure("certutil does not take it") }
            }
        } catch let error as SpawnedProcess.Failure {
            throw WebLoginError(.browserFailed, error.message)
        } catch let error as WebLoginError { throw error } catch {
            throw WebLoginError(
                .invalidConfiguration, "The certificate authority could not be given to the browser.",
                underlyingError: error)
        }
    }

    /// The certificates one by one, because certutil reads only the first certificate of a file.
    private var certificates: [String] {
        let end = "-----END CERTIFICATE-----"
        return authorityPEM.split(separator: end, omittingEmptySubsequences: false).dropLast().compactMap { part in
            part.firstRange(of: "-----BEGIN CERTIFICATE-----").map { part[$0.lowerBound...] + end + "\n" }
        }
    }

    private static func failure(_ reason: String) -> WebLoginError {
        WebLoginError(
            .invalidConfiguration, "The certificate authority could not be given to the browser: \(reason).")
    }
}
#endif
