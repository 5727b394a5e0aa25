import Foundation
import HTTPTypes
import HttpConvVault
import HttpConversation
import HttpConversationTesting

/// An authorization server with rotating refresh tokens and its API, with its state in a vault that several processes
/// share.
///
/// An access token serves each client a limited number of times. A refresh token is valid once, and its reuse is
/// counted.
struct RotatingServer: Sendable {
    struct State: Codable {
        var generation = 0
        var reuses = 0
        var otherGrants = 0
        var served: [String: Int] = [:]
        /// The uses by client and access token.
        var uses: [String: Int] = [:]
    }

    static let usesOfAnAccessToken = 3
    let vault: DataVault

    func state() async throws -> State {
        try await vault.transaction { try Self.load($0) }
    }

    /// A transport to this server.
    func transport() -> ScriptedTransport {
        ScriptedTransport { request, _ throws(ConversationError) in
            do {
                return try await vault.transaction { transaction in
                    var state = try Self.load(transaction)
                    let answer = Self.answer(request, &state)
                    try transaction.write(Array(JSONEncoder().encode(state)), for: "state", in: "server")
                    return answer
                }
            } catch { throw ConversationError(.connectionFailed, "The server's vault failed.", underlyingError: error) }
        }
    }

    private static func load(_ transaction: DataVaultTransaction) throws -> State {
        guard let record = try transaction.read("state", in: "server") else { return State() }
        return try JSONDecoder().decode(State.self, from: Data(record.value))
    }

    private static func answer(_ request: TransportRequest, _ state: inout State) -> ScriptedTransport.Answer {
        request.target.origin.host == "auth.example.com" ? token(request, &state) : resource(request, &state)
    }

    private static func resource(_ request: TransportRequest, _ state: inout State) -> ScriptedTransport.Answer {
        let client = String(request.target.path)
        let token = String((request.headerFields[.authorization] ?? "").dropFirst("Bearer access-".count))
        let uses = state.uses["\(client) \(token)", default: 0]
        guard let generation = Int(token), (1...max(1, state.generation)).contains(generation),
            uses < usesOfAnAccessToken
        else {
            return .init(.unauthorized, [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        }
        state.uses["\(client) \(token)"] = uses + 1
        state.served[client, default: 0] += 1
        return .init(.ok, body: "item")
    }

    private static func token(_ request: TransportRequest, _ state: inout State) -> ScriptedTransport.Answer {
        guard case .bytes(let bytes) = request.body?.kind else { return .init(.badRequest) }
        let form = String(decoding: bytes, as: UTF8.self).split(separator: "&").map(String.init)
        guard form.contains("grant_type=refresh_token") else {
            state.otherGrants += 1
            return refusal
        }
        guard form.contains("refresh_token=refresh-\(state.generation)") else {
            state.reuses += 1
            return refusal
        }
        state.generation += 1
        let number = state.generation
        return .init(
            .ok, [.contentType: "application/json"],
            body: """
                {"access_token":"access-\(number)","refresh_token":"refresh-\(number)","token_type":"Bearer",\
                "expires_in":3600}
                """)
    }

    private static var refusal: ScriptedTransport.Answer {
        .init(.badRequest, [.contentType: "application/json"], body: #"{"error":"invalid_grant"}"#)
    }
}
