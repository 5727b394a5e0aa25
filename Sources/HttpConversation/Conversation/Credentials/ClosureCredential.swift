import HttpConvFormats

/// A credential that a closure computes, for a scheme of your own.
///
/// ```swift
/// func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer {
///     .authorization(for: challenge) { request in "X-HMAC \(signature(of: request))" }
/// }
/// ```
/// It goes only to the challenged origin. Unless servers are given, that must be the caller's own server; over plain
/// http off loopback, the origin of the caller's URL (security rule S7). It is sent ahead to the challenged directories
/// and those below.
public struct ClosureCredential: Credential {
    /// Computes the value of `Authorization`, including the scheme's name, for one exchange. The challenge is the
    /// latest of its space, with the current nonce.
    public typealias Authorization = @Sendable (ConversationRequest, OfferedChallenge) async throws -> String

    /// The scheme that it answers.
    public let method: AuthenticationMethod
    private let space: ProtectionSpace
    private var offered: OfferedChallenge
    private let origins: [Origin]
    private let identity: String
    private let coverage: ChallengedDirectories
    private let compute: Authorization

    /// Creates a credential for the space of a challenge, if that is the caller's own server.
    ///
    /// - Parameters:
    ///   - challenge: the server's challenge
    ///   - identity: distinguishes the filter's secrets for one space. A refused one is not tried again in its
    ///     conversation
    ///   - authorization: the value of `Authorization` for one request
    public init(
        for challenge: AuthenticationChallenge, identity: String = "", authorization: @escaping Authorization
    ) {
        self.init(challenge, [], identity, authorization)
    }

    /// Creates a credential for the space of a challenge, if that belongs to one of some servers.
    ///
    /// - Parameters:
    ///   - challenge: the server's challenge
    ///   - servers: the servers that may get it, also over https on the same hosts; of a URL only the origin counts.
    ///     Empty: the caller's own server
    ///   - identity: distinguishes the filter's secrets for one space
    ///   - authorization: the value of `Authorization` for one request
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public init(
        for challenge: AuthenticationChallenge, at servers: [any TargetURLConvertible], identity: String = "",
        authorization: @escaping Authorization
    ) throws(ConversationError) {
        self.init(challenge, Array(try servers.origins()), identity, authorization)
    }

    private init(
        _ challenge: AuthenticationChallenge, _ origins: [Origin], _ identity: String,
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
        return other.space == space && other.identity.hasSameBytes(as: identity)
    }

    /// A copy for the new challenge, which also covers the challenged directory.
    public func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? {
        guard challenge.space == space else { return nil }
        coverage.learn(challenge.target)
        var answer = self
        answer.offered = challenge.offered
        return answer
    }

    public func covers(_ target: TargetURL) -> Bool { target.origin == space.origin && coverage.contains(target) }

    public func isAllowed(to destination: CredentialDestination) -> Bool {
        destination.target.origin == space.origin && !destination.exposesPassword && destination.isServed(by: origins)
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
    /// Repeats the exchange with a computed value: a ``ClosureCredential`` for the caller's own server.
    ///
    /// If the scheme's challenges carry a nonce, create a ``ClosureCredential`` instead: its closure gets the latest
    /// challenge. Do so for a secret of other servers, too.
    ///
    /// - Parameters:
    ///   - challenge: the server's challenge
    ///   - persistence: how long it is kept once it was accepted
    ///   - authorization: the value of `Authorization`, including the scheme's name, for one exchange
    public static func authorization(
        for challenge: AuthenticationChallenge, persistence: CredentialPersistence = .session,
        _ authorization: @escaping @Sendable (ConversationRequest) async throws -> String
    ) -> ChallengeAnswer {
        .use(ClosureCredential(for: challenge) { request, _ in try await authorization(request) }, persistence)
    }
}
