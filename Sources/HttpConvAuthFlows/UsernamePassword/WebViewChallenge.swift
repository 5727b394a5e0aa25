import HTTPTypes
public import HttpConversation

/// A 401 that a web view met and cannot answer by itself: the view knows no more about it than this.
public struct WebViewChallenge: Hashable, Sendable {
    /// The URL that was asked for.
    public let target: TargetURL
    /// The scheme, such as `basic`.
    public let method: AuthenticationMethod
    /// The realm; text from a peer.
    public let realm: String

    /// Describes a challenge.
    public init(target: TargetURL, method: AuthenticationMethod, realm: String) {
        self.target = target
        self.method = method
        self.realm = realm
    }

    /// Who asks.
    public var space: ProtectionSpace { ProtectionSpace(origin: target.origin, method: method, realm: realm) }
}

extension ConversationContext {
    /// What the conversation's own filters know for a challenge that its web view met. They are asked in order, as for
    /// a challenge of the conversation's, once for all that ask the same.
    ///
    /// - Parameter previousFailures: how many answers of this view were not accepted
    /// - Throws: ``ConversationError`` of a provider that failed
    public func answer(
        to challenge: WebViewChallenge, previousFailures: Int
    ) async throws -> ProvidedCredential {
        let origin = challenge.target.origin
        if challenge.method == .digest { session.credentials.digestOrigins.insert(origin) }
        guard challenge.method != .basic || sendsBasic(to: origin) else { return .none }
        let full = AuthenticationChallenge(
            space: challenge.space,
            offered: OfferedChallenge(scheme: "\(challenge.method)", realm: challenge.realm),
            target: challenge.target, response: HTTPResponse(status: .unauthorized), context: self,
            previousFailureCount: previousFailures, sentUnder: session.epoch.current)
        for filter in configuration.challengeFilters.all(of: UsernamePasswordFilter.self)
        where filter.handles.contains(challenge.method) {
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
