import Crypto
import Foundation
import Synchronization

/// Proxies that demand a login. They share no code with the library.
enum ProxyGuards {
    /// The value of a field; nil if there is none.
    static func field(_ name: String, in head: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    /// 407 with challenges and a page.
    static func refusal(_ challenges: String..., isClosing: Bool = false) -> String {
        "HTTP/1.1 407 Who\r\n" + challenges.map { "Proxy-Authenticate: \($0)\r\n" }.joined()
            + "WWW-Authenticate: Basic realm=\"trap\"\r\nSet-Cookie: proxy=1\r\nLocation: http://127.0.0.1:9/\r\n"
            + (isClosing ? "Connection: close\r\n" : "") + "Content-Length: 4\r\n\r\npage"
    }

    /// Demands this user name and password with Basic.
    static func basic(_ login: String, realm: String = "P") -> TestProxy.Admission {
        let value = "Basic " + Data(login.utf8).base64EncodedString()
        return { head in
            field("Proxy-Authorization", in: head) == value ? nil : refusal("Basic realm=\"\(realm)\"")
        }
    }
}

/// Demands a user name and password with Digest. Checks proof, request target and counts, and lets nonces become stale.
final class DigestGuard: Sendable {
    private struct State {
        var nonce = 0
        var uses: [String: Set<String>] = [:]
        var account = Account()
    }

    /// The number of requests by result.
    struct Account: Hashable, Sendable {
        var accepted = 0
        var refused = 0
        var stale = 0
        var repeated = 0
        var without = 0
    }

    private let username: String
    private let password: String
    private let usesPerNonce: Int
    private let alsoBasic: Bool
    private let state = Mutex(State())

    init(_ username: String, _ password: String, usesPerNonce: Int = .max, alsoBasic: Bool = false) {
        self.username = username
        self.password = password
        self.usesPerNonce = usesPerNonce
        self.alsoBasic = alsoBasic
    }

    var account: Account { state.withLock(\.account) }

    func admit(_ head: String) -> String? {
        state.withLock { state in
            guard let field = ProxyGuards.field("Proxy-Authorization", in: head), field.hasPrefix("Digest ") else {
                state.account.without += 1
                return challenge(&state, isStale: false)
            }
            let line = head.split(separator: " ", maxSplits: 2).map(String.init)
            guard isRight(field, method: line[0], target: line[1]) else {
                state.account.refused += 1
                return challenge(&state, isStale: false)
            }
            let (nonce, count) = (Self.value("nonce", field), Self.value("nc", field))
            guard state.uses[nonce, default: []].insert(count).inserted else {
                state.account.repeated += 1
                return challenge(&state, isStale: false)
            }
            guard state.uses[nonce, default: []].count <= usesPerNonce else {
                state.account.stale += 1
                return challenge(&state, isStale: true)
            }
            state.account.accepted += 1
            return nil
        }
    }

    private func challenge(_ state: inout State, isStale: Bool) -> String {
        state.nonce += 1
        let digest =
            "Digest realm=\"P\", nonce=\"n\(state.nonce)\", qop=\"auth\", algorithm=MD5"
            + (isStale ? ", stale=true" : "")
        return alsoBasic ? ProxyGuards.refusal("Basic realm=\"P\"", digest) : ProxyGuards.refusal(digest)
    }

    private func isRight(_ field: String, method: String, target: String) -> Bool {
        guard Self.value("uri", field) == target else { return false }
        let key = Self.md5("\(username):P:\(password)")
        let parts = ["nonce", "nc", "cnonce", "qop"].map { Self.value($0, field) }
        return Self.value("response", field)
            == Self.md5("\(key):\(parts.joined(separator: ":")):\(Self.md5("\(method):\(target)"))")
    }

    private static func value(_ name: String, _ field: String) -> String {
        for part in field.dropFirst(7).components(separatedBy: ", ") where part.hasPrefix(name + "=") {
            return part.dropFirst(name.count + 1).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        }
        return ""
    }

    private static func md5(_ text: String) -> String {
        Insecure.MD5.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }
}
