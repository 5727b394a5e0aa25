import HttpConversation
import NIOCore
import NIOSSL

/// Whom a certificate is for (RFC 9110 §4.3.4, RFC 6125 §6, security rule S4).
///
/// NIOSSL takes an address in the certificate for every name that leads there, the subject's common name for a host, and
/// an asterisk for a whole name or a part of a label. For a name only a DNS name counts here, with an asterisk as its whole
/// first label and at least two labels behind it. Addresses NIOSSL compares with the socket's peer, which is the URL's.
enum ServerIdentity {
    /// The TLS handler of a connection to an origin.
    static func handler(_ context: NIOSSLContext, for origin: Origin) throws -> NIOSSLClientHandler {
        // Without a name BoringSSL's check is against the socket's peer, which is the URL's address (no proxies).
        guard !origin.isIPLiteral else { return try NIOSSLClientHandler(context: context, serverHostname: nil) }
        guard context.configuration.certificateVerification != .none else {
            return try NIOSSLClientHandler(context: context, serverHostname: origin.host)
        }
        return try ._makeSSLClientHandler(context: context, serverHostname: origin.host) { certificate, channel in
            channel.eventLoop.makeCompletedFuture {
                guard isNamed(origin.host, by: certificate) else {
                    throw NIOSSLExtraError.failedToValidateHostname
                }
            }
        }
    }

    private static func isNamed(_ host: String, by certificate: NIOSSLCertificate) -> Bool {
        certificate._subjectAlternativeNames().contains { name in
            name.nameType == .dnsName && matches(host, pattern: Array(name.contents))
        }
    }

    /// - Parameter host: lower case, without a trailing dot
    static func matches(_ host: String, pattern: [UInt8]) -> Bool {
        let host = Array(host.utf8)
        let pattern = (pattern.last == UInt8(ascii: ".") ? pattern.dropLast() : pattern[...]).map(lowerCase)
        guard pattern.first == UInt8(ascii: "*") else { return pattern == host }
        let parent = pattern.dropFirst()
        guard parent.first == UInt8(ascii: "."), parent.dropFirst().contains(UInt8(ascii: ".")),
            let end = host.firstIndex(of: UInt8(ascii: ".")), end > 0
        else { return false }
        return host[end...].elementsEqual(parent)
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
