import SwiftASN1

/// The object identifiers of PKCS#5, #7, #8, #9 and #12.
enum OID {
    static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 6]
    static let x509Certificate: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 22, 1]

    static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 1]
    static let shroudedKeyBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 2]
    static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
    static let safeContentsBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 6]

    static let pbes2: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 5, 13]
    static let pbkdf2: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 5, 12]
    /// The ciphers of PBES2 that BoringSSL knows besides AES: RC2 and 3DES.
    static let olderCiphers: [ASN1ObjectIdentifier] = [[1, 2, 840, 113549, 3, 2], [1, 2, 840, 113549, 3, 7]]
    /// The schemes of PKCS#12 that BoringSSL knows: RC4, 3DES and RC2.
    static let olderSchemes: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113549, 1, 12, 1, 1], [1, 2, 840, 113549, 1, 12, 1, 3], [1, 2, 840, 113549, 1, 12, 1, 6],
    ]
    static let hmacSHA1: ASN1ObjectIdentifier = [1, 2, 840, 113549, 2, 7]
    static let hmacSHA256: ASN1ObjectIdentifier = [1, 2, 840, 113549, 2, 9]
    static let hmacSHA384: ASN1ObjectIdentifier = [1, 2, 840, 113549, 2, 10]
    static let hmacSHA512: ASN1ObjectIdentifier = [1, 2, 840, 113549, 2, 11]
    static let aes128: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 2]
    static let aes192: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 22]
    static let aes256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]

    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]
}
