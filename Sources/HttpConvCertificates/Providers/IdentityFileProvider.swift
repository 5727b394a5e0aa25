public import HttpConvPlatform
import HttpConvSystem
public import HttpConversation
import Synchronization

/// One client certificate from a file: PKCS#12, or PEM with a key.
///
/// The file is read when a server asks for a certificate, and again when a server asks after the file has changed, such
/// as for a renewed certificate. If it has a passphrase, the provider asks for it each time it reads. A changed file
/// that cannot be read, such as one that is only half written, replaces the certificate only when a server has refused
/// that.
public struct IdentityFileProvider: ClientCertProvider {
    /// The format of the file.
    public enum Format: Hashable, Sendable {
        /// PKCS#12: `.p12`, `.pfx`.
        case pkcs12
        /// PEM or DER. The key may be in a separate file; nil if it is in the same one.
        case pem(key: URL? = nil)
    }

    private final class Loaded: Sendable {
        /// The identity, with the stamps of its files before they were read.
        let identity = Mutex<(identity: ClientIdentity, stamps: [FileStamp?])?>(nil)
    }

    private let file: URL
    private let format: Format
    private let origins: [Origin]
    private let passphrase: IdentityPassphrase
    private let loaded = Loaded()
    public let isInteractive: Bool

    /// Creates a provider of the certificate in a file.
    ///
    /// - Parameters:
    ///   - file: the file with the certificate and its key
    ///   - format: the file's format
    ///   - origins: the servers that it is for, and https on the same hosts; empty: the origin of the URL that the
    ///     application requests, but nothing that a redirect or a login leads to
    ///   - isInteractive: whether a person is asked for the passphrase
    ///   - passphrase: called for the passphrase if the file has one
    public init(
        file: URL, format: Format, for origins: [Origin] = [], isInteractive: Bool = false,
        passphrase: @escaping IdentityPassphrase = { _, _ in nil }
    ) {
        self.file = file
        self.format = format
        self.origins = origins
        self.isInteractive = isInteractive
        self.passphrase = passphrase
    }

    public func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        let stamps = stamps
        let known = loaded.identity.withLock { $0 }
        if let known, known.stamps == stamps { return .identity(known.identity) }
        let isRefused = challenge.previousFailureCount > 0
        do {
            guard let identity = try await load(challenge) else {
                return isRefused ? .noCertificate : known.map { .identity($0.identity) } ?? .noCertificate
            }
            loaded.identity.withLock { $0 = (identity, stamps) }
            return .identity(identity)
        } catch let error as CertificateError {
            if let known, !isRefused { return .identity(known.identity) }
            throw error.inConversation(challenge)
        }
    }

    /// The stamp of the file, and of the key's if that is a separate one.
    private var stamps: [FileStamp?] {
        var files = [file]
        if case .pem(let key?) = format { files.append(key) }
        return files.map { FileStamp(path: $0.path(percentEncoded: false)) }
    }

    private func load(_ challenge: AuthenticationChallenge) async throws -> ClientIdentity? {
        do { return try await .file(file, format: format) } catch let error as CertificateError
            where error.code == .wrongPassphrase
        {
            guard let passphrase = try await passphrase(file, challenge) else { return nil }
            return try await .file(file, format: format, passphrase: passphrase)
        }
    }
}

extension IdentityFileProvider: CustomStringConvertible, CustomReflectable {
    /// The file's name, without the passphrase.
    public var description: String { "client certificate in \(IdentityFile.name(file))" }
    public var customMirror: Mirror { Mirror(self, children: ["file": file.lastPathComponent]) }
}
