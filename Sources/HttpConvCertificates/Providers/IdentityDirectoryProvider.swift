public import HttpConvPlatform
public import HttpConversation
import SwiftASN1
import X509

/// Client certificates from a directory with one file per server.
///
/// For `https://sp.example.com/` it is `sp.example.com.p12` (or `.pfx`), else `sp.example.com.pem`, with the key in the
/// same file or in `sp.example.com.key`. If there is no such file and the server names the authorities that it accepts,
/// it is the first file, by name, whose certificate one of them has issued and that opens without a passphrase. The
/// directory is read when a server asks.
public struct IdentityDirectoryProvider: ClientCertProvider {
    private let directory: URL
    private let serves: @Sendable (CredentialDestination) -> Bool
    private let passphrase: IdentityPassphrase
    public let isInteractive: Bool

    /// Creates a provider of the certificates in a directory.
    ///
    /// - Parameters:
    ///   - directory: the folder with the files
    ///   - isInteractive: whether a person is asked for passphrases
    ///   - serves: the servers that may be shown a certificate. Default: every https server
    ///   - passphrase: called for the passphrase of a file that has one
    public init(
        _ directory: URL, isInteractive: Bool = false,
        serves: @escaping @Sendable (CredentialDestination) -> Bool = { _ in true },
        passphrase: @escaping IdentityPassphrase = { _, _ in nil }
    ) {
        self.directory = directory
        self.serves = serves
        self.isInteractive = isInteractive
        self.passphrase = passphrase
    }

    public func serves(_ destination: CredentialDestination) -> Bool { serves(destination) }

    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        let origin = challenge.target.origin
        let names = try await names(challenge)
        if let file = Self.file(named: origin.host, among: names) {
            return try await provider(file, among: names, origin).identity(for: challenge)
        }
        // A server that the application did not name must not learn which certificates are here.
        guard challenge.destination.isCallersOwn, !challenge.acceptableAuthorities.isEmpty else { return .none }
        for name in names where Self.file(named: Self.base(name), among: names) == name {
            let provider = provider(name, among: names, origin, asks: false)
            guard case .identity(let identity)? = try? await provider.identity(for: challenge),
                IdentityIssuers.chain(identity, leadsTo: challenge.acceptableAuthorities)
            else { continue }
            return .identity(identity)
        }
        return .none
    }

    private func names(_ challenge: AuthenticationChallenge) async throws -> [String] {
        do {
            return try await IdentityFile.work { [directory] in
                try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false)).sorted()
            }
        } catch {
            throw CertificateError(
                .unreadable, "The directory \(IdentityFile.name(directory)) of client certificates cannot be read."
            ).inConversation(challenge)
        }
    }

    private static let types = ["p12", "pfx", "pem"]

    private static func file(named host: String, among names: [String]) -> String? {
        types.lazy.map { "\(host).\($0)" }.first(where: names.contains)
    }

    @Sendable private static func noPassphrase(_ file: URL, _ challenge: AuthenticationChallenge) -> String? { nil }

    private static func base(_ name: String) -> String { name.withoutPathType }

    private func provider(
        _ name: String, among names: [String], _ origin: Origin, asks: Bool = true
    ) -> IdentityFileProvider {
        let key = "\(Self.base(name)).key"
        let hasKey = names.contains(key)
        let passphrase: IdentityPassphrase = asks ? passphrase : Self.noPassphrase
        return IdentityFileProvider(
            file: directory.appending(path: name),
            format: name.hasSuffix(".pem") ? .pem(key: hasKey ? directory.appending(path: key) : nil) : .pkcs12,
            for: [origin], passphrase: passphrase)
    }
}

/// Checks whether an identity comes from one of the authorities that a server accepts.
enum IdentityIssuers {
    /// - Parameter authorities: distinguished names in DER, as a server sends them (RFC 8446 §4.2.4)
    static func chain(_ identity: ClientIdentity, leadsTo authorities: [[UInt8]]) -> Bool {
        let accepted = Set(authorities)
        return identity.certificates.contains { der in
            guard let certificate = try? Certificate(derEncoded: der) else { return false }
            var serializer = DER.Serializer()
            guard (try? serializer.serialize(certificate.issuer)) != nil else { return false }
            return accepted.contains(serializer.serializedBytes)
        }
    }
}
