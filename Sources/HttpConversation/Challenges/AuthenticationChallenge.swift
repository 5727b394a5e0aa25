public import HTTPTypes

/// A server's question for a credential, as challenge filters and providers see it.
public struct AuthenticationChallenge: Sendable {
    /// Who asks.
    public let space: ProtectionSpace
    /// The challenge as it was sent: scheme, parameters, token68.
    public let offered: OfferedChallenge
    /// The URL whose exchange was challenged.
    public let target: TargetURL
    /// The head of the response that carried the challenge; nil for a question in the TLS handshake.
    public let response: HTTPResponse?
    /// The credential that the challenged exchange had carried for this space, if any: it was not accepted.
    public let sent: (any Credential)?
    /// Answers given for this space in this conversation that were not accepted; a stale nonce does not count.
    public let previousFailureCount: Int
    /// The authorities that the server takes client certificates of: distinguished names in DER (RFC 8446 §4.2.4). Empty
    /// where it accepts any, where it asks for something else, or where the transport cannot know: NIO's cannot.
    public let acceptableAuthorities: [[UInt8]]
    /// The server's certificates, for ``AuthenticationMethod/serverTrust``.
    public let serverTrust: ServerTrust?
    /// The proxy that asks (status 407); nil: the server of ``target`` does.
    public let proxy: ProxyServer?
    /// The conversation that is asked; of several that share a question, the one that asked first.
    public let context: ConversationContext

    /// The scheme.
    public var method: AuthenticationMethod { space.method }
    /// The realm; text from a peer.
    public var realm: String { space.realm }
    /// Where an answer would go, through which proxy if that asks, and what the caller had asked for.
    public var destination: CredentialDestination {
        CredentialDestination(target: target, callersURL: context.root.target, proxy: proxy)
    }
    /// Whose login an answer is: the conversation's session; where a proxy asks a child conversation, that of its parent.
    public var session: HttpSession { proxy == nil ? context.session : context.session.forProxies }
    /// Digest's `stale=true`: the secret was right, only the nonce was old (RFC 7616 §3.3).
    public var isStale: Bool { offered.isStale }

    /// The session's stamp when the challenged exchange was sent: a login that ended later speaks for it.
    package let sentUnder: UInt64
    /// The answers behind `previousFailureCount`, in order; also those that another conversation tried for this one.
    public let refused: [any Credential]

    package init(
        space: ProtectionSpace, offered: OfferedChallenge, target: TargetURL, response: HTTPResponse?,
        context: ConversationContext, sent: (any Credential)? = nil, previousFailureCount: Int = 0,
        sentUnder: UInt64 = 0, acceptableAuthorities: [[UInt8]] = [],
        serverTrust: ServerTrust? = nil, refused: [any Credential] = [], proxy: ProxyServer? = nil
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
    }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomReflectable {
    /// The protection space; parameters are left out.
    public var description: String { "challenge of \(space)" }
    public var customMirror: Mirror { Mirror(self, children: ["space": space.description]) }
}
