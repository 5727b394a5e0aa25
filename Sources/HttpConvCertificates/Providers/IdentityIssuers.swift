import HttpConversation
import SwiftASN1
import X509

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
