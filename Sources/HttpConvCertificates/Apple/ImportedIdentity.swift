#if !canImport(FoundationNetworking)
package import Foundation
package import HttpConversation
import Security

/// A certificate with its key in the system's form. It is not stored in the keychain.
package enum ImportedIdentity {
    /// - Throws: ``ConversationError/Code/clientCertificateUnusable``
    package static func credential(_ identity: ClientIdentity) throws(ConversationError) -> URLCredential {
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
        let imported = unsafeDowncast(reference, to: SecIdentity.self)
        let others = identity.certificates.dropFirst().compactMap {
            SecCertificateCreateWithData(nil, Data($0) as CFData)
        }
        return URLCredential(identity: imported, certificates: Array(others), persistence: .none)
    }

    private static func unusable(_ identity: ClientIdentity, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .clientCertificateUnusable, "The \(identity) or its key cannot be used for TLS.", underlyingError: error)
    }
}
#endif
