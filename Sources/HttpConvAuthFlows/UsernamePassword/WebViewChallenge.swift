import HTTPTypes
public import HttpConversation

/// A 401, or a proxy's 407, that a web view met and cannot answer by itself. This is all that the view knows about it.
public struct WebViewChallenge: Hashable, Sendable {
    /// The requested URL.
    public let target: TargetURL
    /// The scheme, such as `basic`.
    public let method: AuthenticationMethod
    /// The realm; text from a peer.
    public let realm: String

    /// The proxy that asks; nil: the server of ``target`` asks.
    public let proxy: ProxyServer?

    /// Creates a challenge.
    public init(target: TargetURL, method: AuthenticationMethod, realm: String, proxy: ProxyServer? = nil) {
        self.target = target
        self.method = method
        self.realm = realm
        self.proxy = proxy
    }

    /// The protection space of the challenge.
    public var space: ProtectionSpace {
        ProtectionSpace(
            origin: proxy?.origin ?? target.origin, method: method, realm: realm, isProxy: proxy != nil)
    }
}

extension ConversationContext {
    /// The login that the conversation's own filters have for a challenge of its web view. Filters are asked in order,
    /// as for a challenge of the conversation itself; simultaneous equal challenges share one question. Logins for
    /// servers and proxies are separate; a proxy's configured login comes first.
    ///
    /// - Parameter previousFailures: the number of refused answers in this view
    /// - Throws: ``ConversationError`` if a provider failed
    public func answer(
        to challenge: WebViewChallenge, previousFailures: Int
    ) async throws -> ProvidedCredential {
        let space = challenge.space
        let owner = challenge.proxy == nil ? session : session.forProxies
        if space.method == .digest { owner.credentials.digestOrigins.insert(space.origin) }
        guard space.method != .basic || sendsBasic(to: space) else { return .none }
        if previousFailures == 0, let login = challenge.proxy?.login {
            return .credential(
                UsernamePassword(username: login.username.value, password: login.password.value),
                persistence: .session)
        }
        let full = AuthenticationChallenge(
            space: space,
            offered: OfferedChallenge(scheme: "\(challenge.method)", realm: challenge.realm),
            target: challenge.target,
            response: HTTPResponse(
                status: challenge.proxy == nil ? .unauthorized : .proxyAuthenticationRequired), context: self,
            previousFailureCount: previousFailures, sentUnder: owner.epoch.current,
            proxy: challenge.proxy)
        for filter in configuration.challengeFilters.all(of: UsernamePasswordFilter.self)
        where filter.handles.contains(challenge.method) && filter.isForProxies == (challenge.proxy != nil) {
            guard let question = filter.question(for: full, in: self) else { continue }
            switch try await perform(question).answer {
            case .none: continue
            case let answer:
                if case .credential = answer, challenge.method == .basic { filter.warnIfExposed(full, in: self) }
                return answer
            }
        }
        return .none
    }
}
