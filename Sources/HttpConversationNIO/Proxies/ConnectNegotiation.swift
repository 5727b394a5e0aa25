import HTTPTypes
import HttpConversation
import NIOCore

/// `CONNECT` (RFC 9110 §9.3.6, RFC 9112 §3.2.3). Any 2xx opens the tunnel, even if it announces a length. Any other
/// response is the proxy's own answer; only its head is used.
struct ConnectNegotiation: TunnelNegotiation {
    private let proxy: ProxyServer
    private let target: String
    private let authorization: String?
    private let accepted: @Sendable (HTTPResponse) -> Void
    private var reader: ResponseHeadReader
    private var interim = 0

    /// - Parameters:
    ///   - authorization: the value of `Proxy-Authorization`
    ///   - maximumHeadBytes: the limit for all heads before the tunnel
    ///   - accepted: receives the head that opened the tunnel
    init(
        through proxy: ProxyServer, to origin: Origin, authorization: String?, maximumHeadBytes: Int,
        accepted: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        self.proxy = proxy
        target = origin.hostAndPort
        self.authorization = authorization
        self.accepted = accepted
        reader = ResponseHeadReader(maximumBytes: maximumHeadBytes, takesLineFeeds: true)
    }

    func opening() -> [UInt8] {
        let field = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
        return Array(
            "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\nUser-Agent: HttpConversation\r\n\(field)\r\n".utf8)
    }

    mutating func received(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep {
        while let head = try read(&buffer) {
            switch head.status.code {
            case 101: throw ProxyFailure.handshake(proxy, "it switched protocols without being asked (status 101)")
            case 100..<200:
                interim += 1
                guard interim <= ExchangeProgress.maximumInterimResponses else {
                    throw ProxyFailure.handshake(
                        proxy, "more than \(ExchangeProgress.maximumInterimResponses) interim responses (status 1xx)")
                }
            case 200..<300:
                accepted(head.response)
                return .established(head.response)
            default:
                throw ConversationError(
                    .proxyRefused, "The proxy \(proxy) made no tunnel to \(target): status \(head.status.code).",
                    underlyingError: TunnelAnswer(head: head.response, version: head.version))
            }
        }
        return .more
    }

    private mutating func read(_ buffer: inout ByteBuffer) throws(ConversationError) -> ResponseHead? {
        do { return try reader.read(&buffer) } catch {
            throw ProxyFailure.handshake(proxy, Self.words(error))
        }
    }

    private static func words(_ fault: ResponseHeadReader.Fault) -> String {
        switch fault {
        case .notHTTP: "what it says is not HTTP"
        case .tooLarge:
            "the head of its answer is larger than the limit (maximumHeadBytes of the transport's configuration)"
        case .invalidStatus: "the status line of its answer is not valid"
        case .invalidField: "its answer has an invalid header field"
        }
    }
}
