#if !canImport(FoundationNetworking)
import Foundation
import HttpConvCertificates
import HttpConversation
import Security

/// A certificate with its key as the system wants it. Nothing of it goes into the keychain.
enum ImportedIdentity {
    /// - Throws: ``ConversationError/Code/clientCertificateUnusable``
    static func credential(_ identity: ClientIdentity) throws(ConversationError) -> URLCredential {
        // Only these two see it.
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
        // A conditional cast knows no types of CoreFoundation.
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
