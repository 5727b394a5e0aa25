/// A credential that a closure computes: for a scheme of one's own.
///
/// ```swift
/// func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer {
///     .authorization(for: challenge) { request in "X-HMAC \(signature(of: request))" }
/// }
/// ```
/// It goes to the origin that was challenged and to no other: where no origins are named, only if that is the caller's
/// own server; over plain http off loopback only to the origin of the caller's URL (security rule S7). Sent ahead, it goes
/// to the directories that were challenged, and what is below.
public struct ClosureCredential: Credential {
    /// Computes the value of `Authorization`, the scheme's name included, for one exchange; the challenge is the latest of
    /// its space, with the nonce that counts now.
    public typealias Authorization = @Sendable (ConversationRequest, OfferedChallenge) async throws -> String

    public let method: AuthenticationMethod
    private let space: ProtectionSpace
    private var offered: OfferedChallenge
    private let origins: Set<Origin>
    private let identity: String
    private let coverage: ChallengedDirectories
    private let compute: Authorization

    /// A credential for the space of a challenge, if that is the caller's own server.
    ///
    /// - Parameters:
    ///   - challenge: what the server wants
    ///   - identity: tells apart the secrets that a filter has for one space. One that was refused is not tried
    ///     again in its conversation
    ///   - authorization: the value of `Authorization` for one request
    public init(
        for challenge: AuthenticationChallenge, identity: String = "", authorization: @escaping Authorization
    ) {
        self.init(challenge, [], identity, authorization)
    }

    /// A credential for the space of a challenge, if that is one of some servers.
    ///
    /// - Parameters:
    ///   - challenge: what the server wants
    ///   - servers: whose secret it is, and those of https on the same hosts; of a URL its origin counts. Empty: as without
    ///   - identity: as without servers
    ///   - authorization: the value of `Authorization` for one request
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public init(
        for challenge: AuthenticationChallenge, at servers: [any TargetURLConvertible], identity: String = "",
        authorization: @escaping Authorization
    ) throws(ConversationError) {
        self.init(challenge, try servers.origins(), identity, authorization)
    }

    private init(
        _ challenge: AuthenticationChallenge, _ origins: Set<Origin>, _ identity: String,
        _ compute: @escaping Authorization
    ) {
        method = challenge.method
        space = challenge.space
        offered = challenge.offered
        self.origins = origins
        self.identity = identity
        coverage = ChallengedDirectories(challenge.target)
        self.compute = compute
    }

    public func hasSameSecret(as other: any Credential) -> Bool {
        guard let other = other as? ClosureCredential else { return false }
        return other.space == space && other.identity == identity
    }

    /// This one with the new challenge; it also covers the challenged directory.
    public func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? {
        guard challenge.space == space else { return nil }
        coverage.learn(challenge.target)
        var answer = self
        answer.offered = challenge.offered
        return answer
    }

    public func covers(_ target: TargetURL) -> Bool { target.origin == space.origin && coverage.contains(target) }

    public func mayGo(to destination: CredentialDestination) -> Bool {
        let target = destination.target.origin
        guard target == space.origin, !destination.exposesPassword else { return false }
        return origins.isEmpty ? destination.isCallersOwn : origins.contains { $0.covers(target) }
    }

    public func authorization(for request: ConversationRequest) async throws -> String {
        try await compute(request, offered)
    }
}

extension ClosureCredential: CustomReflectable {
    /// The scheme and the origin.
    public var description: String { "\(method), computed, at \(space.origin)" }
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

extension ChallengeAnswer {
    /// Repeats the exchange with what a closure computes for it: a ``ClosureCredential`` for the caller's own server.
    ///
    /// For a scheme whose challenges carry a nonce, make one of those: its closure gets the latest challenge. So do for a
    /// secret of other servers.
    ///
    /// - Parameters:
    ///   - challenge: what the server wants
    ///   - persistence: how long it is kept once it was accepted
    ///   - authorization: the value of `Authorization`, the scheme's name included, for one exchange
    public static func authorization(
        for challenge: AuthenticationChallenge, persistence: CredentialPersistence = .session,
        _ authorization: @escaping @Sendable (ConversationRequest) async throws -> String
    ) -> ChallengeAnswer {
        .use(ClosureCredential(for: challenge) { request, _ in try await authorization(request) }, persistence)
    }
}
