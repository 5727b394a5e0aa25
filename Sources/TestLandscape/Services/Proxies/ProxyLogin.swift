import Foundation

/// Authenticates clients by `Proxy-Authorization` (RFC 9110 §11.7).
struct ProxyLogin: Sendable {
    let shared: SharedState
    let rule: LandscapeProxyRule

    /// The values of `Proxy-Authenticate`.
    var challenges: [String] {
        let realm = QuotedString.make(ProxyServer.realm)
        guard rule.authentication == .digest else { return ["Basic realm=\(realm), charset=\"UTF-8\""] }
        return [DigestAlgorithm.sha256, .md5].map { algorithm in
            let nonce = shared.nonces.issue(realm: ProxyServer.realm)
            return
                "Digest realm=\(realm), qop=\"auth\", algorithm=\(algorithm.rawValue), nonce=\"\(nonce)\", opaque=\"proxy\""
        }
    }

    func passes(_ head: ProxyRequestHead) -> Bool {
        guard let value = head.value("Proxy-Authorization"), let space = value.firstIndex(of: " ") else { return false }
        let scheme = value[..<space].lowercased()
        let rest = value[value.index(after: space)...]
        let isRight =
            switch (scheme, rule.authentication) {
            case ("basic", .basic): basic(rest)
            case ("digest", .digest): digest(rest, head)
            default: false
            }
        shared.counters.count(isRight ? \.authenticated : \.failedLogins)
        return isRight
    }

    private func basic(_ encoded: Substring) -> Bool {
        let given = Data(base64Encoded: String(encoded)).map { String(decoding: $0, as: UTF8.self) }
        return UserDirectory.equal(given ?? "", "\(rule.user.name):\(rule.user.password)")
    }

    /// Checks RFC 7616 §3.4, `qop=auth` only. Some clients use the path of a whole URL.
    private func digest(_ text: Substring, _ head: ProxyRequestHead) -> Bool {
        guard let parameters = AuthenticationParameters(text),
            let algorithm = DigestAlgorithm(rawValue: (parameters["algorithm"] ?? "MD5").uppercased()),
            let nonce = parameters["nonce"], let count = parameters["nc"], let cnonce = parameters["cnonce"],
            parameters["username"] == rule.user.name, parameters["realm"] == ProxyServer.realm,
            let uri = parameters["uri"], [head.target, head.originForm].contains(uri), parameters["qop"] == "auth",
            parameters["opaque"] == "proxy"
        else { return false }
        let first = algorithm.hex("\(rule.user.name):\(ProxyServer.realm):\(rule.user.password)")
        let second = algorithm.hex("\(head.method):\(uri)")
        let wanted = algorithm.hex("\(first):\(nonce):\(count):\(cnonce):auth:\(second)")
        guard UserDirectory.equal(wanted, parameters["response"]?.lowercased() ?? "") else { return false }
        return shared.nonces.use(nonce, realm: ProxyServer.realm, count: UInt32(count, radix: 16)) == .good
    }
}
