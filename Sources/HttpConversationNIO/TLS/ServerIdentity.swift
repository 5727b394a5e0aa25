import HttpConvFormats
import HttpConversation
import NIOCore
import NIOSSL

/// The check that a certificate is for the right server (RFC 9110 §4.3.4, RFC 6125 §6, security rule S4).
///
/// NIOSSL's own check is too lax. It accepts an address in the certificate for every name that leads there, the
/// subject's common name for a host, and an asterisk for a whole name or a part of a label. Here only a DNS name counts
/// for a name. An asterisk may only be its whole first label, followed by at least two labels. NIOSSL compares
/// addresses with the socket's peer, which is the URL's address without a proxy. In other cases we compare them.
enum ServerIdentity {
    /// The TLS handler of a connection to an origin.
    ///
    /// - Parameter checksAddress: whether the socket's peer differs from the URL's address, for example a proxy; then
    ///   the context checks no names
    static func handler(
        _ context: NIOSSLContext, for origin: Origin, checksAddress: Bool = false
    ) throws -> NIOSSLClientHandler {
        let name = origin.isIPLiteral ? nil : origin.host
        // Without a name, BoringSSL compares the certificate with the socket's peer.
        let isOurs = !origin.isIPLiteral || checksAddress
        guard isOurs, context.configuration.certificateVerification != .none else {
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        }
        return try ._makeSSLClientHandler(context: context, serverHostname: name) { certificate, channel in
            channel.eventLoop.makeCompletedFuture {
                guard isRight(certificate, for: origin, checksAddress: checksAddress) else {
                    throw NIOSSLExtraError.failedToValidateHostname
                }
            }
        }
    }

    /// Whether a verified certificate is for an origin, as far as NIOSSL does not check that.
    static func isRight(_ certificate: NIOSSLCertificate, for origin: Origin, checksAddress: Bool) -> Bool {
        if origin.isIPLiteral, !checksAddress { return true }
        guard origin.isIPLiteral else { return isNamed(origin.host, by: certificate) }
        guard let address = IPAddressBytes.parse(origin.host) else { return false }
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
