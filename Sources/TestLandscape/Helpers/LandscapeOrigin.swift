/// One of the origins of a landscape: a scheme and a port of its own on 127.0.0.1.
public enum LandscapeOrigin: String, Sendable, Hashable, CaseIterable, Codable {
    /// Plain HTTP, with most endpoints.
    case main
    /// Plain HTTP on another port, as another origin for redirects and credentials.
    case other
    /// HTTPS with a certificate for 127.0.0.1, ::1, localhost and the configured extra names.
    case secure
    /// HTTPS on another port, with the same certificate as ``secure``.
    case secureOther
    /// HTTPS with a certificate that expired a day ago.
    case expired
    /// HTTPS with a valid certificate for `wrong.invalid`.
    case wrongName
    /// Plain TCP that answers with scripted bytes, see `RawOrigin`.
    case raw
    /// HTTPS that requires a client certificate of the landscape's authority, see
    /// ``LandscapeCertificates/client(_:validity:)``. `/certificate` names its subject.
    case mutual
    /// HTTPS that asks for a client certificate, and accepts clients without one.
    case mutualOptional
    /// A proxy for HTTP and SOCKS5. It connects only to this machine, whatever host is named; see
    /// ``Landscape/proxyRule``.
    case proxy
    /// The same proxy over TLS with the certificate of ``secure``.
    case secureProxy
    /// HTTPS that speaks HTTP/2 frame by frame, with the faults of ``StreamFault``, or HTTP/1.1.
    case multiplexed

    /// `https` or `http`.
    public var scheme: String {
        switch self {
        case .main, .other, .raw, .proxy: "http"
        case .secure, .secureOther, .expired, .wrongName, .mutual, .mutualOptional, .secureProxy, .multiplexed:
            "https"
        }
    }

    /// Whether the origin is a Hummingbird server.
    var isWebServer: Bool {
        switch self {
        case .raw, .proxy, .secureProxy, .multiplexed: false
        default: true
        }
    }

    /// The distance from ``LandscapeConfiguration/basePort`` for fixed ports.
    var portOffset: Int {
        switch self {
        case .main: 0
        case .other: 1
        case .secure: 2
        case .secureOther: 3
        case .expired: 4
        case .wrongName: 5
        case .raw: 6
        case .mutual: 7
        case .mutualOptional: 8
        case .proxy: 9
        case .secureProxy: 10
        case .multiplexed: 11
        }
    }
}
