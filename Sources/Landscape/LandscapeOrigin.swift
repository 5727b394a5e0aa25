/// One of the origins of a landscape: a scheme and a port of its own on 127.0.0.1.
public enum LandscapeOrigin: String, Sendable, Hashable, CaseIterable, Codable {
    /// Plain HTTP, where most endpoints are looked at.
    case main
    /// Plain HTTP on another port: another origin for redirects and credentials.
    case other
    /// HTTPS with a certificate for 127.0.0.1, ::1, localhost and the configured extra names.
    case secure
    /// HTTPS on another port, same certificate as ``secure``.
    case secureOther
    /// HTTPS with a certificate that expired a day ago.
    case expired
    /// HTTPS with a valid certificate for `wrong.invalid`.
    case wrongName
    /// Plain TCP that answers scripted bytes, see `RawOrigin`.
    case raw
    /// HTTPS that demands a client's certificate of the landscape's authority, see
    /// ``LandscapeCertificates/client(_:validity:)``; `/certificate` says whose it was.
    case mutual
    /// The same, but whoever has none gets in as well.
    case mutualOptional
    /// A proxy for HTTP and SOCKS5 that reaches only this machine, whatever host is named; see ``Landscape/proxyRule``.
    case proxy
    /// The same, reached over TLS with the certificate of ``secure``.
    case secureProxy
    /// HTTPS that speaks HTTP/2 frame by frame, with the faults of ``StreamFault``; and HTTP/1.1.
    case multiplexed

    /// `https` or `http`.
    public var scheme: String {
        switch self {
        case .main, .other, .raw, .proxy: "http"
        case .secure, .secureOther, .expired, .wrongName, .mutual, .mutualOptional, .secureProxy, .multiplexed:
            "https"
        }
    }

    /// Whether Hummingbird serves it.
    var isWebServer: Bool {
        switch self {
        case .raw, .proxy, .secureProxy, .multiplexed: false
        default: true
        }
    }

    /// The distance from ``LandscapeConfiguration/basePort`` where fixed ports are asked for.
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
