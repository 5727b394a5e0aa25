import SwiftASN1

/// The contents of a PKCS#12 file that are readable without its passphrase (RFC 7292 §4).
struct PKCS12File {
    /// Encrypted content: an algorithm with its parameters, and the bytes.
    struct Encrypted {
        let algorithm: ASN1Node
        let bytes: [UInt8]
        /// The whole element in its original encoding.
        let element: [UInt8]
    }

    /// The bags of one safe: plain keys and certificates, and keys that are encrypted one by one.
    struct Safe {
        var keys: [[UInt8]] = []
        var encryptedKeys: [Encrypted] = []
        var certificates: [[UInt8]] = []

        mutating func append(_ other: Safe) {
            keys += other.keys
            encryptedKeys += other.encryptedKeys
            certificates += other.certificates
        }
    }

    private(set) var safe = Safe()
    /// Safes that are encrypted as a whole.
    private(set) var encryptedSafes: [Encrypted] = []
    /// The file's MAC; nil if there is none.
    let mac: PKCS12MAC?

    init(_ bytes: [UInt8]) throws {
        var file = try BERReader(sequence: bytes)
        guard try file.integer() == 3 else { throw BERReader.Malformed() }
        let content = try Self.data(file.node())
        mac = try file.next().map { try PKCS12MAC($0, of: content) }
        var safes = try BERReader(sequence: content)
        while let element = safes.next() {
            var info = try BERReader(element)
            switch try info.oid() {
            case OID.data:
                safe.append(try Self.safe(BERReader.octets(info.explicit())))
            case OID.encryptedData:
                encryptedSafes.append(try Self.encryptedSafe(info.explicit(), element))
            default: throw CertificateError(.unsupportedKey, "It is sealed with a public key, which is not supported.")
            }
        }
    }

    private static func data(_ node: ASN1Node) throws -> [UInt8] {
        var info = try BERReader(node)
        guard try info.oid() == OID.data else {
            throw CertificateError(.unsupportedKey, "It is signed with a public key, which is not supported.")
        }
        return try BERReader.octets(info.explicit())
    }

    private static func encryptedSafe(_ node: ASN1Node, _ element: ASN1Node) throws -> Encrypted {
        var data = try BERReader(node)
        _ = try data.integer()
        var content = try data.sequence()
        _ = try content.oid()
        return Encrypted(
            algorithm: try content.node(), bytes: try content.octets(), element: Array(element.encodedBytes))
    }

    /// Reads the bags of a safe. Skips bags other than keys and certificates.
    static func safe(_ bytes: [UInt8], depth: Int = 0) throws -> Safe {
        var safe = Safe()
        var bags = try BERReader(sequence: bytes)
        while var bag = try bags.next().map({ try BERReader($0) }) {
            switch try bag.oid() {
            case OID.keyBag: safe.keys.append(Array(try bag.explicit().encodedBytes))
            case OID.shroudedKeyBag: safe.encryptedKeys.append(try encryptedKey(bag.explicit()))
            case OID.certificateBag:
                var value = try BERReader(bag.explicit())
                if try value.oid() == OID.x509Certificate {
                    safe.certificates.append(try BERReader.octets(value.explicit()))
                }
            case OID.safeContentsBag where depth < 4:
                safe.append(try Self.safe(Array(bag.explicit().encodedBytes), depth: depth + 1))
            default: continue
            }
        }
        return safe
    }

    /// EncryptedPrivateKeyInfo (RFC 5958 §3).
    static func encryptedKey(_ node: ASN1Node) throws -> Encrypted {
        var info = try BERReader(node)
        return Encrypted(
            algorithm: try info.node(), bytes: try info.octets(), element: Array(node.encodedBytes))
    }
}
