import HttpConvFormats
import HttpConversation
import NIOCore
import NIOSSL

/// The check that a certificate is for the right server (RFC 9110 §4.3.4, RFC 6125 §6, security rule S4).
///
/// NIOSSL's own check is off. It accepts an address in the certificate for every name that leads there, the subject's
/// common name for a host, and an asterisk for a whole name or a part of a label. It compares an address with the
/// socket's peer, which may be a proxy. It refuses an asterisk for a name in Punycode, and a name with an underscore.
/// Here only a DNS name counts for a name, and only the same address for an address. An asterisk may only be the whole
/// first label, followed by at least two labels.
enum ServerIdentity {
    /// The TLS handler of a connection to an origin. It compares names if the context verifies certificates.
    static func handler(_ context: NIOSSLContext, for origin: Origin) throws -> NIOSSLClientHandler {
        let name = origin.tlsServerName
        guard context.configuration.certificateVerification != .none else {
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        }
        return try ._makeSSLClientHandler(context: context, serverHostname: name) { certificate, channel in
            channel.eventLoop.makeCompletedFuture {
                guard isRight(certificate, for: origin) else { throw NIOSSLExtraError.failedToValidateHostname }
            }
        }
    }

    /// Whether a verified certificate is for an origin.
    static func isRight(_ certificate: NIOSSLCertificate, for origin: Origin) -> Bool {
        guard let address = origin.addressBytes else { return isNamed(origin.host, by: certificate) }
        return certificate._subjectAlternativeNames().contains { name in
            name.nameType == .ipAddress && name.contents.elementsEqual(address)
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
        let pattern = (pattern.last == UInt8(ascii: ".") ? pattern.dropLast() : pattern[...]).map(\.asciiLowercased)
        guard pattern.first == UInt8(ascii: "*") else { return pattern == host }
        let parent = pattern.dropFirst()
        guard parent.first == UInt8(ascii: "."), parent.dropFirst().contains(UInt8(ascii: ".")),
            let end = host.firstIndex(of: UInt8(ascii: ".")), end > 0
        else { return false }
        return host[end...].elementsEqual(parent)
    }
}

extension Origin {
    /// The name for the TLS handshake (RFC 6066 §3); nil for an address.
    var tlsServerName: String? { isIPLiteral ? nil : host }
}
