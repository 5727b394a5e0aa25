#if canImport(Security) && !os(Linux)
import Crypto
import Foundation
import HttpConvConcurrency
public import HttpConversation
import Security

/// A client certificate from the keychain, by its label. Compiled on Apple systems only.
///
/// Its key must be exportable from the keychain, because the transport signs with it.
public struct KeychainIdentityProvider: ClientCertProvider {
    private let label: String
    private let origins: [Origin]

    /// Creates a provider of one identity.
    ///
    /// - Parameters:
    ///   - label: the name that the keychain shows for it (`kSecAttrLabel`)
    ///   - origins: the servers that it is for, and https on the same hosts; empty: the origin of the URL that the
    ///     application requests
    public init(label: String, for origins: [Origin] = []) {
        self.label = label
        self.origins = origins
    }

    public func serves(_ destination: CredentialDestination) -> Bool {
        origins.isEmpty ? destination.isCallersOwn : origins.contains { $0.covers(destination.target.origin) }
    }

    /// True: the keychain may show a window of the system.
    public var isInteractive: Bool { true }

    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        do {
            guard let identity = try await Blocking.run({ [label] in try Self.find(label) }) else { return .none }
            return .identity(identity)
        } catch let error as CertificateError {
            throw error.inConversation(challenge)
        }
    }

    /// Blocks: the keychain runs in another process.
    private static func find(_ label: String) throws -> ClientIdentity? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecAttrLabel: label, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let found, CFGetTypeID(found) == SecIdentityGetTypeID() else {
            throw CertificateError(.unreadable, "The keychain does not give the certificate (status \(status)).")
        }
        // A conditional cast does not work with CoreFoundation types.
        let identity = unsafeDowncast(found, to: SecIdentity.self)
        var certificate: SecCertificate?
        var key: SecKey?
        guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate,
            SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess, let key
        else { throw CertificateError(.certificateWithoutKey, "The keychain has no private key for the certificate.") }
        guard let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data? else {
            throw CertificateError(.unsupportedKey, "The private key of the certificate may not leave the keychain.")
        }
        return try IdentityCheck(
            certificates: [Array(SecCertificateCopyData(certificate) as Data)], key: der(bytes), now: Date()
        ).identity()
    }

    /// Converts a key to DER. RSA keys come in DER (PKCS#1), keys of elliptic curves in ANSI X9.63.
    private static func der(_ bytes: Data) -> [UInt8] {
        if let key = try? P256.Signing.PrivateKey(x963Representation: bytes) { return Array(key.derRepresentation) }
        if let key = try? P384.Signing.PrivateKey(x963Representation: bytes) { return Array(key.derRepresentation) }
        if let key = try? P521.Signing.PrivateKey(x963Representation: bytes) { return Array(key.derRepresentation) }
        return Array(bytes)
    }
}
#endif
