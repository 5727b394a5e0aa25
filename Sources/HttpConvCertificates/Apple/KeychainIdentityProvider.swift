#if canImport(Security) && !os(Linux)
import HttpConvConcurrency
import HttpConvPlatform
public import HttpConversation
import Security

/// A client certificate of the keychain or of a smart card, by its label. Compiled on Apple systems only.
///
/// Its key stays where it is: in the keychain, the Secure Enclave, or on a smart card. URL loading gets the system's
/// identity, and SwiftNIO the signatures of its key.
public struct KeychainIdentityProvider: ClientCertProvider {
    private let label: String
    private let origins: [Origin]

    /// Creates a provider of one identity.
    ///
    /// - Parameters:
    ///   - label: the name that the keychain shows for it (`kSecAttrLabel`), or the certificate's common name. If
    ///     several valid certificates have it, none is shown: ``CertificateError/Code/ambiguous``
    ///   - origins: the servers that it is for, and https on the same hosts; empty: the origin of the URL that the
    ///     application requests
    public init(label: String, for origins: [Origin] = []) {
        self.label = label
        self.origins = origins
    }

    public func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

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
        // Smart cards are in a group of their own.
        let groups: [[CFString: Any]] = [[:], [kSecAttrAccessGroup: kSecAttrAccessGroupToken]]
        for group in groups {
            guard let (found, key) = try SystemIdentity.find(label, group) else { continue }
            return try key.identity(
                certificates: [found.certificate()], algorithms: found.algorithms, now: Date(),
                sign: SystemIdentity.sign)
        }
        return nil
    }
}
#endif
