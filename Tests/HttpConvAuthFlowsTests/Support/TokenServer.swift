import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Synchronization

/// An authorization server and its API in the test process: `auth.example.com` and `api.example.com`.
///
/// Refresh tokens rotate: each is valid once, and a second use is counted as reuse.
final class TokenServer: Sendable {
    struct State: Sendable {
        var validAccess: Set<String> = []
        var validRefresh: Set<String> = []
        var usedRefresh: Set<String> = []
        var issued = 0
        var reuses = 0
        /// Token requests by `grant_type`.
        var grants: [String: Int] = [:]
        var challenges = 0
        var forms: [[String: String]] = []
        /// The requests to the API: host, path and `Authorization`.
        var calls: [(host: String, path: String, authorization: String?)] = []
        var lifetime: Int? = 3600
        var rotates = true
        var acceptsNothing = false
        /// The hosts that refuse all tokens.
        var refusingHosts: Set<String> = []
        var challenge: ScriptedTransport.Answer = .init(
            .unauthorized, [.wwwAuthenticate: "Bearer realm=\"api\", error=\"invalid_token\""], body: "no")
    }

    /// Answers a token request instead of the server; nil lets the server answer.
    typealias Override =
        @Sendable (_ form: [String: String]) async throws(ConversationError) -> ScriptedTransport.Answer?

    private let state = Mutex(State())
    let tokenOverride = Mutex<Override?>(nil)
    /// The gate that token requests pass before they are answered.
    let tokenGate = Mutex<Gate?>(nil)

    static let api = "https://api.example.com/items"

    var now: State { state.withLock { $0 } }
    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    func override(_ answer: @escaping Override) { tokenOverride.withLock { $0 = answer } }

    /// The number of token requests of a type.
    func count(_ grant: String) -> Int { now.grants[grant] ?? 0 }

    func transport() -> ScriptedTransport {
        ScriptedTransport { request, _ throws(ConversationError) in try await self.answer(request) }
    }

    private func answer(_ request: TransportRequest) async throws(ConversationError) -> ScriptedTransport.Answer {
        switch (request.target.origin.host, request.target.path) {
        case ("auth.example.com", "/token"): return try await token(request)
        case ("auth.example.com", "/revoke"):
            update { $0.forms.append(Self.form(request)) }
            return .init(.ok)
        default: return resource(request)
        }
    }

    private func resource(_ request: TransportRequest) -> ScriptedTransport.Answer {
        state.withLock { state in
            let authorization = request.headerFields[.authorization]
            state.calls.append((request.target.origin.host, String(request.target.path), authorization))
            let token = authorization.map { String($0.dropFirst("Bearer ".count)) } ?? ""
            if state.validAccess.contains(token), !state.acceptsNothing,
                !state.refusingHosts.contains(request.target.origin.host)
            {
                return .init(.ok, body: "item for \(token)")
            }
            state.challenges += 1
            return state.challenge
        }
    }

    private func token(_ request: TransportRequest) async throws(ConversationError) -> ScriptedTransport.Answer {
        let form = Self.form(request)
        let grant = form["grant_type"] ?? ""
        update { state in
            state.forms.append(form)
            state.grants[grant, default: 0] += 1
        }
        if let gate = tokenGate.withLock({ $0 }) { await gate.pass() }
        if let override = tokenOverride.withLock({ $0 }), let answer = try await override(form) { return answer }
        return state.withLock { state in
            guard grant == "refresh_token" else { return Self.issue(&state) }
            let old = form["refresh_token"] ?? ""
            if state.usedRefresh.contains(old) { state.reuses += 1 }
            guard state.validRefresh.contains(old) else { return Self.refusal("invalid_grant") }
            if state.rotates {
                state.validRefresh.remove(old)
                state.usedRefresh.insert(old)
            }
            return Self.issue(&state)
        }
    }

    private static func issue(_ state: inout State) -> ScriptedTransport.Answer {
        state.issued += 1
        let access = "access-\(state.issued)"
        state.validAccess = [access]
        var members = ["\"access_token\":\"\(access)\"", "\"token_type\":\"Bearer\""]
        if state.rotates {
            state.validRefresh.insert("refresh-\(state.issued)")
            members.append("\"refresh_token\":\"refresh-\(state.issued)\"")
        }
        if let lifetime = state.lifetime { members.append("\"expires_in\":\(lifetime)") }
        return json("{\(members.joined(separator: ","))}")
    }

    static func json(
        _ text: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) -> ScriptedTransport.Answer {
        var fields = fields
        fields[.contentType] = "application/json"
        return .init(status, fields, body: text)
    }

    static func refusal(_ error: String, _ status: HTTPResponse.Status = .badRequest) -> ScriptedTransport.Answer {
        json("{\"error\":\"\(error)\"}", status)
    }

    static func form(_ request: TransportRequest) -> [String: String] {
        guard case .bytes(let bytes) = request.body?.kind else { return [:] }
        var result: [String: String] = [:]
        for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String(parts.last ?? "").replacingOccurrences(of: "+", with: " ")
            result[String(parts[0])] = value.removingPercentEncoding ?? value
        }
        return result
    }
}
