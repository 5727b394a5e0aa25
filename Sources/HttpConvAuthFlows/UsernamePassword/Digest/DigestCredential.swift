import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization

/// A user name and password for Digest (RFC 7616; RFC 2069 if a server offers no `qop`).
///
/// One credential follows one server nonce: it counts its uses, adopts `nextnonce`, and is replaced by
/// ``answering(_:)`` when the server wants another. `auth` is preferred to `auth-int` if both are offered: it needs no
/// second reading of the body, and more servers implement it correctly.
///
/// Text is hashed and sent as UTF-8, with or without `charset=UTF-8` from the server: password files are made with
/// UTF-8. User names are sent as plain `username="…"` with UTF-8 bytes, never as `username*`: RFC 9110 allows such
/// bytes in a quoted string, and servers of any age support that form.
final class DigestCredential: Credential {
    private struct State {
        var nonce: String
        /// The latest answers, kept to check the server's proof.
        var sent: [DigestComputation] = []
    }

    private let login: UsernamePassword
    private let space: ProtectionSpace
    private let parameters: DigestParameters
    private let key: Redacted<String>
    /// The client nonce of a `-sess` key, which is sent with every use of the key.
    private let sessionNonce: String?
    private let shownUsername: String
    private let nonces: NonceCounts
    /// The provider of the password.
    private let provider: (any UsernamePasswordProvider)?
    private let state: Mutex<State>
    private static let maximumSent = 256

    /// Creates a credential for a challenge; nil if its algorithm or protection is not supported.
    ///
    /// - Parameters:
    ///   - nonces: counts the uses of a nonce
    ///   - provider: the provider of the password; the credential goes only to destinations that it serves
    /// - Throws: ``ConversationError/Code/authenticationFailed`` for control characters
    convenience init?(
        _ login: UsernamePassword, for challenge: AuthenticationChallenge, nonces: NonceCounts,
        of provider: (any UsernamePasswordProvider)? = nil
    ) throws(ConversationError) {
        guard let parameters = DigestParameters(challenge) else { return nil }
        try LoginText.refuseControls(login, for: challenge.space)
        self.init(login, challenge.space, parameters, nonces, provider)
    }

    private init(
        _ login: UsernamePassword, _ space: ProtectionSpace, _ parameters: DigestParameters, _ nonces: NonceCounts,
        _ provider: (any UsernamePasswordProvider)?
    ) {
        let algorithm = parameters.algorithm
        let user = LoginText.normalised(login.username)
        let secret = DigestComputation.secret(
            algorithm, user: user, realm: parameters.realm, password: LoginText.normalised(login.password.value))
        self.login = login
        self.space = space
        self.parameters = parameters
        self.nonces = nonces
        self.provider = provider
        let sessionNonce = algorithm.isSession ? nonces.sessionNonce(for: parameters.nonce, in: space) : nil
        self.sessionNonce = sessionNonce
        key = Redacted(
            sessionNonce.map { clientNonce in
                DigestComputation.sessionKey(
                    algorithm, secret: secret, nonce: parameters.nonce, clientNonce: clientNonce)
            } ?? secret)
        shownUsername = parameters.hashesUsername ? algorithm.hex("\(user):\(parameters.realm)") : user
        state = Mutex(State(nonce: parameters.nonce))
    }

    func hasSameSecret(as other: any Credential) -> Bool {
        guard let other = other as? DigestCredential else { return false }
        let sameName = ConstantTime.isEqual(Self.octets(login.username), Self.octets(other.login.username))
        let samePassword = ConstantTime.isEqual(
            Self.octets(login.password.value), Self.octets(other.login.password.value))
        return sameName && samePassword
    }

    private static func octets(_ text: String) -> String.UTF8View { LoginText.normalised(text).utf8 }

    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? {
        guard challenge.space == space, let parameters = DigestParameters(challenge) else { return nil }
        return DigestCredential(login, space, parameters, nonces, provider)
    }

    /// Whether `domain` lists the target, within this origin and by whole segments; without `domain`, the whole origin.
    func covers(_ target: TargetURL) -> Bool {
        guard target.origin == space.origin else { return false }
        guard let domain = parameters.domain else { return true }
        return domain.contains { $0.origin == space.origin && PathSpace.contains(String($0.path), target) }
    }

    /// Whether its provider serves the destination (security rules S7 and S13).
    func isAllowed(to destination: CredentialDestination) -> Bool {
        provider?.servesServerOrProxy(destination) != false
    }

    // MARK: Answering

    func authorization(for request: ConversationRequest) async throws -> String {
        try await authorization(for: request, clientNonce: ClientNonce.make())
    }

    func authorization(
        for request: ConversationRequest, clientNonce: String
    ) async throws(ConversationError) -> String {
        let quality: DigestParameters.Quality? =
            parameters.qualities.contains(.auth) ? .auth : parameters.qualities.first
        let bodyHash =
            quality == .authInt
            ? try await DigestBodyHash.hex(request.body, parameters.algorithm, for: space) : nil
        let nonce = state.withLock { $0.nonce }
        let use = nonces.use(nonce, in: space)
        let computation = DigestComputation(
            algorithm: parameters.algorithm, key: key.value, nonce: nonce, count: use.digits,
            clientNonce: sessionNonce ?? clientNonce, quality: quality, uri: request.requestTarget)
        remember(computation)
        return header(computation, computation.response(method: request.method.rawValue, bodyHash: bodyHash))
    }

    private func header(_ computation: DigestComputation, _ response: String) -> String {
        var header = DigestHeader()
        header.add("username", quoted: shownUsername)
        header.add("realm", quoted: parameters.realm)
        header.add("nonce", quoted: computation.nonce)
        header.add("uri", quoted: computation.uri)
        header.add("response", quoted: response)
        if let name = parameters.algorithmName { header.add("algorithm", name) }
        if let opaque = parameters.opaque { header.add("opaque", quoted: opaque) }
        if let quality = computation.quality {
            header.add("qop", quality.rawValue)
            header.add("nc", computation.count)
        }
        if computation.quality != nil || parameters.algorithm.isSession {
            header.add("cnonce", quoted: computation.clientNonce)
        }
        if parameters.hashesUsername { header.add("userhash", "true") }
        return header.value
    }

    // MARK: After the answer

    private func remember(_ computation: DigestComputation) {
        state.withLock { state in
            if state.sent.count == Self.maximumSent { state.sent.removeFirst(Self.maximumSent / 2) }
            state.sent.append(computation)
        }
    }

    /// Adopts `nextnonce`, unless the server's proof is present and wrong.
    func received(_ response: HTTPResponse) {
        guard let info = AuthenticationInfo(response, ofProxy: space.isProxy), let next = info.nextNonce else { return }
        state.withLock { state in
            guard Self.isBelievable(info, among: state.sent) else { return }
            state.nonce = next
        }
    }

    private static func isBelievable(_ info: AuthenticationInfo, among sent: [DigestComputation]) -> Bool {
        guard let proof = info.serverProof else { return true }
        // With auth-int the proof covers the body of the response, which has not arrived yet.
        if info.quality == DigestParameters.Quality.authInt.rawValue { return true }
        let candidates = sent.filter { computation in
            if computation.quality == nil { return true }
            return computation.clientNonce == info.clientNonce && computation.count == info.count
        }
        return candidates.contains { ConstantTime.isEqual($0.serverProof().utf8, proof.lowercased().utf8) }
    }
}

extension DigestCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, the user name and the origin.
    var description: String { "Digest, \(login), at \(space.origin)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

/// Writes the value of a Digest `Authorization` field (RFC 7616 §3.4).
struct DigestHeader {
    private(set) var value = "Digest "
    private var isFirst = true

    /// Adds a quoted string; escapes quotation marks and backslashes. Text beyond ASCII is sent as UTF-8 bytes.
    mutating func add(_ name: String, quoted text: String) {
        add(name, "\"\(text.replacing(ascii: ["\\": "\\\\", "\"": "\\\""]))\"")
    }

    /// Adds a token, which is not quoted.
    mutating func add(_ name: String, _ token: String) {
        value += (isFirst ? "" : ", ") + "\(name)=\(token)"
        isFirst = false
    }
}
