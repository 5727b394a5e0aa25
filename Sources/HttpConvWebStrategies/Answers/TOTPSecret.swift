import Crypto
public import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A secret for one-time codes (RFC 6238, with SHA-1 as in authenticator applications).
public struct TOTPSecret: Sendable {
    /// The number of digits of a code.
    public let digits: Int
    /// The time for which a code is current, in seconds.
    public let period: Int
    private let key: SymmetricKey

    /// Creates a secret from the text beside a QR code: base32, possibly in groups and in lower case.
    ///
    /// - Parameters:
    ///   - base32: the secret as shown to people; spaces, hyphens and case are ignored
    ///   - digits: the number of digits, 6 to 9
    ///   - period: the period in seconds
    /// - Throws: ``/HttpConvAuthFlows/WebLoginError/Code/invalidConfiguration``
    public init(base32: String, digits: Int = 6, period: Int = 30) throws(WebLoginError) {
        guard let bytes = Self.decode(base32), !bytes.isEmpty else {
            throw WebLoginError(
                .invalidConfiguration,
                "The secret of the one-time codes is not base32: it has letters and the digits 2 to 7 only.")
        }
        guard (6...9).contains(digits), (1...3600).contains(period) else {
            throw WebLoginError(
                .invalidConfiguration, "One-time codes have 6 to 9 digits and last for at most an hour.")
        }
        key = SymmetricKey(data: bytes)
        self.digits = digits
        self.period = period
    }

    /// The code of one period (RFC 4226 §5.3).
    func code(counter: UInt64) -> String {
        let message = withUnsafeBytes(of: counter.bigEndian) { Data($0) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        let offset = Int(mac[mac.count - 1] & 0xF)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        return String(number % modulus).zeroPadded(to: digits)
    }

    /// A hash that identifies the secret without revealing it.
    var fingerprint: String {
        var hash = SHA256()
        hash.update(data: Data("one-time codes used of ".utf8))
        key.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Hexadecimal.text(hash.finalize().prefix(16))
    }

    /// Decodes base32 (RFC 4648 §6). Padding, spaces and hyphens are ignored.
    private static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 where !" -=\t\n\r".utf8.contains(byte) {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61
            case 0x32...0x37: value = byte - 0x32 + 26
            default: return nil
            }
            buffer = (buffer << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return bytes
    }
}

extension TOTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text instead of the secret.
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
