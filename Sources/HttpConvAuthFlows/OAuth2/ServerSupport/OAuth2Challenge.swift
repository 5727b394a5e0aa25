public import HTTPTypes
public import HttpConversation

/// A response that may ask for an access token, as server supports see it.
public struct OAuth2Challenge: Sendable {
    /// The URL of the answered exchange.
    public let target: TargetURL
    /// The head of the response; nil if tokens are renewed before any challenge.
    public let response: HTTPResponse?
    /// The Bearer and DPoP challenges of the response (RFC 6750 §3, RFC 9449 §7.1), in order.
    public let bearer: [OfferedChallenge]
    /// The conversation that needs the tokens; for a token manager's own operations, a separate one.
    public let context: ConversationContext

    private let look: @Sendable (Int) async throws -> [UInt8]
    private let finish: @Sendable () async -> Void

    init(
        target: TargetURL, response: HTTPResponse?, context: ConversationContext,
        finish: @escaping @Sendable () async -> Void = {},
        look: @escaping @Sendable (Int) async throws -> [UInt8] = { _ in [] }
    ) {
        self.target = target
        self.response = response
        self.context = context
        self.look = look
        self.finish = finish
        let offered = response.map { OfferedChallenge.offered(by: $0) } ?? []
        bearer = offered.filter { $0.method == .bearer || $0.method == .dpop }
    }

    /// Whether it is a 401 with a Bearer or DPoP challenge that a token can answer.
    ///
    /// `insufficient_scope` does not count (RFC 6750 §3.1): the token is valid, and another of the same kind would be
    /// refused as well.
    public var isBearerChallenge: Bool {
        response?.status == .unauthorized && bearer.contains { $0.parameter("error") != "insufficient_scope" }
    }

    /// The kind of login that the server demands beyond the present one (RFC 9470 §3).
    public var demand: OAuth2AuthenticationDemand? {
        response?.status == .unauthorized ? bearer.lazy.compactMap(OAuth2AuthenticationDemand.init).first : nil
    }

    /// Whether the server accepts only tokens that are bound to a key (RFC 9449 §7.1).
    var demandsBoundTokens: Bool {
        response?.status == .unauthorized && !bearer.isEmpty && bearer.allSatisfy { $0.method == .dpop }
    }

    /// Whether only the proof was refused, and not the token (RFC 9449 §7.1, §9).
    var refusesProof: Bool {
        response?.status == .unauthorized
            && bearer.contains {
                $0.method == .dpop && ["use_dpop_nonce", "invalid_dpop_proof"].contains($0.parameter("error"))
            }
    }

    /// The first value of a parameter in the Bearer and DPoP challenges, such as `scope`. Text from a peer.
    public func parameter(_ name: String) -> String? { bearer.lazy.compactMap { $0.parameter(name) }.first }

    /// Reads the start of the response's body; empty for a 401 with a challenge, whose body is dropped before.
    public func peek(upTo limit: Int) async throws -> [UInt8] { try await look(limit) }

    /// Reads a public document, such as server metadata, without cookies, filters or redirects. This ends the
    /// challenged exchange, whose body is kept up to 256 KiB.
    ///
    /// - Returns: the body of a 2xx
    /// - Throws: `OAuth2Error`
    public func document(_ url: TargetURL) async throws -> [UInt8] {
        await finish()
        let answer = try await OAuth2Requests(context).get(url)
        if answer.status == 429 || answer.status >= 500, let refusal = answer.refusal { throw refusal }
        guard (200..<300).contains(answer.status) else {
            throw answer.error(.discoveryFailed, "\(url) answered \(answer.status).")
        }
        return answer.bytes
    }
}
