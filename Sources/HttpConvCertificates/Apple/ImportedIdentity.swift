#if !canImport(FoundationNetworking)
package import HttpConvPlatform
package import HttpConversation
import Security

/// A certificate with its key in the system's form. A key in DER is not stored in the keychain, and one of the keychain
/// is not read.
package enum ImportedIdentity {
    /// - Throws: ``ConversationError/Code/clientCertificateUnusable``
    package static func credential(_ identity: ClientIdentity) throws(ConversationError) -> URLCredential {
        switch SystemKey.form(of: identity.privateKey) {
        case .system(let key):
            do { return credential(try SystemIdentity(key).identity, identity) } catch {
                throw unusable(identity, error)
            }
        case .file: return credential(try imported(identity), identity)
        case .none: throw unusable(identity, nil)
        }
    }

    private static func imported(_ identity: ClientIdentity) throws(ConversationError) -> SecIdentity {
        // Used only by the writer and the import below.
        let passphrase = UUID().uuidString
        let file: [UInt8]
        do { file = try identity.pkcs12(passphrase: passphrase) } catch { throw unusable(identity, error) }
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: passphrase, kSecImportToMemoryOnly: true]
        let status = SecPKCS12Import(Data(file) as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
            let found = item[kSecImportItemIdentity as String]
        else { throw unusable(identity, NSError(domain: NSOSStatusErrorDomain, code: Int(status))) }
        let reference = found as AnyObject
        guard CFGetTypeID(reference) == SecIdentityGetTypeID() else { throw unusable(identity, nil) }
        // A conditional cast does not work with CoreFoundation types.
        return unsafeDowncast(reference, to: SecIdentity.self)
    }

    private static func credential(_ system: SecIdentity, _ identity: ClientIdentity) -> URLCredential {
        let others = identity.certificates.dropFirst().compactMap {
            SecCertificateCreateWithData(nil, Data($0) as CFData)
        }
        return URLCredential(identity: system, certificates: Array(others), persistence: .none)
    }

    private static func unusable(_ identity: ClientIdentity, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .clientCertificateUnusable, "The \(identity) or its key cannot be used for TLS.", underlyingError: error)
    }
}
#endif
