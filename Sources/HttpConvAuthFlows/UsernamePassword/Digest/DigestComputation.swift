/// The computation of RFC 7616 §3.4: the values of `response` and `rspauth`.
struct DigestComputation: Sendable {
    let algorithm: DigestAlgorithm
    /// H(A1), which is derived from the password.
    let key: String
    let nonce: String
    /// Eight hexadecimal digits.
    let count: String
    let clientNonce: String
    /// Nil for the older form without `qop` (RFC 2069).
    let quality: DigestParameters.Quality?
    /// The request target as sent.
    let uri: String

    /// H(user:realm:password), the part of the key that needs the password.
    static func secret(_ algorithm: DigestAlgorithm, user: String, realm: String, password: String) -> String {
        algorithm.hex("\(user):\(realm):\(password)")
    }

    /// The key of a `-sess` algorithm: fixed by the nonces of the session's start (RFC 7616 §3.4.2).
    static func sessionKey(_ algorithm: DigestAlgorithm, secret: String, nonce: String, clientNonce: String) -> String {
        algorithm.hex("\(secret):\(nonce):\(clientNonce)")
    }

    /// The client's proof of the password.
    ///
    /// - Parameter bodyHash: the hash of the body, for `auth-int`
    func response(method: String, bodyHash: String?) -> String { value(of: method, bodyHash) }

    /// The server's proof that it knows the password; not for `auth-int`, which covers a body.
    func serverProof() -> String { value(of: "", nil) }

    private func value(of method: String, _ bodyHash: String?) -> String {
        let second = algorithm.hex("\(method):\(uri)" + (bodyHash.map { ":\($0)" } ?? ""))
        guard let quality else { return algorithm.hex("\(key):\(nonce):\(second)") }
        return algorithm.hex("\(key):\(nonce):\(count):\(clientNonce):\(quality.rawValue):\(second)")
    }
}
