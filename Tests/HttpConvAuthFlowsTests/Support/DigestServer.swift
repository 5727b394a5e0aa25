import Crypto
import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization

/// A strict Digest server in the test process: verifies answers by itself, refuses repeated nonce counts, lets nonces
/// expire.
///
/// It shares no code with the library: it has its own parser and computation.
final class DigestServer: Sendable {
    /// The behaviour of the server.
    struct Options: Sendable {
        var realm = "strict"
        var algorithm = "SHA-256"
        var quality: String? = "auth"
        /// The number of uses after which a nonce is stale.
        var usesPerNonce = Int.max
        /// Whether all clients get the same nonce until it is stale.
        var sharesNonces = false
        /// Whether each success has a `nextnonce`.
        var sendsNextNonce = false
        /// Whether every answer is refused as stale.
        var isAlwaysStale = false
        /// Whether answers for another realm are refused as stale.
        var callsOtherRealmsStale = false
        /// Further parameters of the challenge.
        var extra = ""
    }

    /// The counts of requests by result.
    struct Account: Sendable {
        var accepted = 0
        var failedLogins = 0
        var stale = 0
        var replays = 0
        var unauthenticated = 0
    }

    private struct State {
        var account = Account()
        var uses: [String: Set<UInt32>] = [:]
        var current: String?
        var issued = 0
    }

    private let options: Options
    private let username: String
    private let password: String
    private let state = Mutex(State())

    init(_ username: String, _ password: String, _ options: Options = Options()) {
        self.username = username
        self.password = password
        self.options = options
    }

    var account: Account { state.withLock { $0.account } }

    /// A transport to this server, for any origin; bodies are read only if they are part of the proof.
    func transport() -> ScriptedTransport {
        ScriptedTransport { request, _ throws(ConversationError) in self.answer(request) }
    }

    func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        state.withLock { state in
            guard let text = request.headerFields[.authorization], text.hasPrefix("Digest ") else {
                state.account.unauthenticated += 1
                return challenge(&state, stale: false)
            }
            return judge(Self.fields(of: text), request, &state)
        }
    }

    private func judge(
        _ fields: [String: String], _ request: TransportRequest, _ state: inout State
    ) -> ScriptedTransport.Answer {
        let nonce = fields["nonce"] ?? ""
        if options.callsOtherRealmsStale, fields["realm"] != options.realm {
            state.account.stale += 1
            return challenge(&state, stale: true)
        }
        guard fields["uri"] == request.target.requestTarget, fields["realm"] == options.realm,
            fields["response"] == expected(fields, request)
        else {
            state.account.failedLogins += 1
            return challenge(&state, stale: false)
        }
        guard let used = state.uses[nonce], !options.isAlwaysStale else {
            state.account.stale += 1
            return challenge(&state, stale: true)
        }
        if options.quality != nil {
            let count = UInt32(fields["nc"] ?? "", radix: 16) ?? 0
            guard count > 0, !used.contains(count) else {
                state.account.replays += 1
                return challenge(&state, stale: false)
            }
            guard used.count < options.usesPerNonce else {
                state.account.stale += 1
                if state.current == nonce { state.current = nil }
                return challenge(&state, stale: true)
            }
            state.uses[nonce]?.insert(count)
        }
        state.account.accepted += 1
        return .init(.ok, success(fields, &state), body: "for \(username): \(request.target.requestTarget)")
    }

    private func success(_ fields: [String: String], _ state: inout State) -> HTTPFields {
        guard options.sendsNextNonce else { return [:] }
        let next = issue(&state)
        // swift-format-ignore: NeverForceUnwrap
        return [HTTPField.Name("Authentication-Info")!: "nextnonce=\"\(next)\", qop=auth"]
    }

    private func challenge(_ state: inout State, stale: Bool) -> ScriptedTransport.Answer {
        let nonce: String
        if options.sharesNonces, let current = state.current { nonce = current } else { nonce = issue(&state) }
        state.current = nonce
        var value = "Digest realm=\"\(options.realm)\", nonce=\"\(nonce)\", algorithm=\(options.algorithm)"
        if let quality = options.quality { value += ", qop=\"\(quality)\"" }
        if stale { value += ", stale=true" }
        return .init(.unauthorized, [.wwwAuthenticate: value + options.extra], body: "no")
    }

    private func issue(_ state: inout State) -> String {
        state.issued += 1
        let nonce = "nonce-\(state.issued)"
        state.uses[nonce] = []
        return nonce
    }

    // MARK: Verifying

    private func expected(_ fields: [String: String], _ request: TransportRequest) -> String {
        var key = hash("\(username):\(options.realm):\(password)")
        let (nonce, cnonce) = (fields["nonce"] ?? "", fields["cnonce"] ?? "")
        if options.algorithm.lowercased().hasSuffix("-sess") { key = hash("\(key):\(nonce):\(cnonce)") }
        var second = "\(request.method.rawValue):\(request.target.requestTarget)"
        if fields["qop"] == "auth-int" { second += ":" + hash(Self.bytes(of: request.body)) }
        guard let quality = fields["qop"] else { return hash("\(key):\(nonce):\(hash(second))") }
        return hash("\(key):\(nonce):\(fields["nc"] ?? ""):\(cnonce):\(quality):\(hash(second))")
    }

    private static func bytes(of body: RequestBody?) -> [UInt8] {
        switch body?.kind {
        case .bytes(let bytes): bytes
        case .source(let source): (source as? FileBody).flatMap { try? Array(Data(contentsOf: $0.url)) } ?? []
        default: []
        }
    }

    private func hash(_ text: String) -> String { hash(Array(text.utf8)) }

    private func hash(_ bytes: [UInt8]) -> String {
        let digest: [UInt8] =
            options.algorithm.uppercased().hasPrefix("MD5")
            ? Array(Insecure.MD5.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// Reads `name=value, name="value"`; values of these tests contain no commas.
    static func fields(of text: String) -> [String: String] {
        var result: [String: String] = [:]
        for part in text.dropFirst("Digest ".count).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let name = pair[0].trimmingCharacters(in: .whitespaces)
            result[name] = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        }
        return result
    }
}
