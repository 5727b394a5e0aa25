public import HTTPTypes

/// A server's question for a credential, as challenge filters and providers see it.
public struct AuthenticationChallenge: Sendable {
    /// The protection space of the challenge.
    public let space: ProtectionSpace
    /// The challenge as sent: scheme, parameters, token68.
    public let offered: OfferedChallenge
    /// The URL of the challenged exchange.
    public let target: TargetURL
    /// The head of the response that carried the challenge; nil for a question in the TLS handshake.
    public let response: HTTPResponse?
    /// The credential that the challenged exchange carried for this space, if any: it was refused.
    public let sent: (any Credential)?
    /// The number of refused answers for this space in this conversation; a stale nonce does not count. A password that
    /// an earlier conversation tried counts if it was refused without a challenge to ask about it.
    public let previousFailureCount: Int
    /// The authorities whose client certificates the server accepts: distinguished names in DER (RFC 8446 §4.2.4).
    /// Empty if it accepts any, if it asks for something else, or if the transport does not know them, as with NIO.
    public let acceptableAuthorities: [[UInt8]]
    /// The server's certificates, for ``AuthenticationMethod/serverTrust``.
    public let serverTrust: ServerTrust?
    /// The proxy that asks (status 407); nil: the server of ``target`` asks.
    public let proxy: ProxyServer?
    /// The hash of the server's certificate on the challenged connection, which binds a login to it
    /// (`tls-server-end-point`, RFC 5929 §4); nil without TLS, for a proxy, or if the transport does not know it.
    public let serverEndPoint: [UInt8]?
    /// The conversation that asks; if several share a question, the first one.
    public let context: ConversationContext

    /// The scheme.
    public var method: AuthenticationMethod { space.method }
    /// The realm; text from a peer.
    public var realm: String { space.realm }
    /// The destination of an answer: the target, the caller's URL, and the proxy if that asks.
    public var destination: CredentialDestination {
        CredentialDestination(target: target, callersURL: context.root.target, proxy: proxy)
    }
    /// The session of an answer: the conversation's; if a proxy asks a child conversation, its parent's.
    public var session: HttpSession { proxy == nil ? context.session : context.session.forProxies }
    /// Digest's `stale=true`: the secret was right, and only the nonce was old (RFC 7616 §3.3).
    public var isStale: Bool { offered.isStale }

    /// The session's epoch when the challenged exchange was sent; a login that ended later answers it.
    package let sentUnder: UInt64
    /// The answers counted by `previousFailureCount`, in order, including those that another conversation tried for
    /// this one.
    public let refused: [any Credential]

    package init(
        space: ProtectionSpace, offered: OfferedChallenge, target: TargetURL, response: HTTPResponse?,
        context: ConversationContext, sent: (any Credential)? = nil, previousFailureCount: Int = 0,
        sentUnder: UInt64 = 0, acceptableAuthorities: [[UInt8]] = [],
        serverTrust: ServerTrust? = nil, refused: [any Credential] = [], proxy: ProxyServer? = nil,
        serverEndPoint: [UInt8]? = nil
    ) {
        self.space = space
        self.offered = offered
        self.target = target
        self.response = response
        self.context = context
        self.sent = sent
        self.previousFailureCount = previousFailureCount
        self.sentUnder = sentUnder
        self.acceptableAuthorities = acceptableAuthorities
        self.serverTrust = serverTrust
        self.refused = refused
        self.proxy = proxy
        self.serverEndPoint = serverEndPoint
    }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomReflectable {
    /// The protection space, without parameters.
    public var description: String { "challenge of \(space)" }
    public var customMirror: Mirror { Mirror(self, children: ["space": space.description]) }
}
