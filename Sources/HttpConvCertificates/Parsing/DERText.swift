import SwiftASN1

/// Writes DER (X.690).
enum DERText {
    static let null: [UInt8] = [0x05, 0x00]

    static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element(0x30, elements.flatMap { $0 }) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    /// `[0] EXPLICIT`.
    static func explicit(_ bytes: [UInt8]) -> [UInt8] { element(0xA0, bytes) }

    static func oid(_ oid: ASN1ObjectIdentifier) -> [UInt8] {
        var serializer = DER.Serializer()
        // The identifiers are constants of this module, so they can be encoded.
        try? serializer.serialize(oid)
        return serializer.serializedBytes
    }

    /// Unencrypted contents of PKCS#12 (RFC 7292 §4, RFC 5652 §4).
    static func data(_ content: [UInt8]) -> [UInt8] { sequence([oid(OID.data), explicit(octets(content))]) }

    /// A bag with a certificate (RFC 7292 §4.2.3).
    static func certificateBag(_ certificate: [UInt8]) -> [UInt8] {
        let content = sequence([oid(OID.x509Certificate), explicit(octets(certificate))])
        return sequence([oid(OID.certificateBag), explicit(content)])
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
