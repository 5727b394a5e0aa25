import HTTPTypes
import HttpConvPlatform
import HttpConversation
import Synchronization

/// A Kerberos ticket for one server or proxy. Each exchange begins a login of its own with it, and the server's answer
/// has to prove that it has the key of its service.
final class NegotiateCredential: Credential {
    private enum Stage {
        case unused
        /// Our message is sent.
        case begun(GSSContext)
        /// The next message, for the exchange that follows.
        case ready(GSSContext, Redacted<[UInt8]>)
    }

    private let client: KerberosClient
    private let space: ProtectionSpace
    private let provider: any NegotiateProvider
    private let bindings: [UInt8]?
    private let limit: Duration
    private let clock: any Clock<Duration> & Sendable
    private let stage: Mutex<Stage>

    var servesOneExchange: Bool { true }

    /// A credential for a challenge.
    convenience init(
        _ client: KerberosClient, for challenge: AuthenticationChallenge, of provider: any NegotiateProvider
    ) {
        let configuration = challenge.context.configuration
        self.init(
            client, challenge.space, provider, challenge.serverEndPoint.map { Self.bindings($0) },
            configuration.connectTimeout, configuration.clock, .unused)
    }

    private init(
        _ client: KerberosClient, _ space: ProtectionSpace, _ provider: any NegotiateProvider, _ bindings: [UInt8]?,
        _ limit: Duration, _ clock: any Clock<Duration> & Sendable, _ stage: sending Stage
    ) {
        self.client = client
        self.space = space
        self.provider = provider
        self.bindings = bindings
        self.limit = limit
        self.clock = clock
        self.stage = Mutex(stage)
    }

    /// The data of the binding `tls-server-end-point` (RFC 5929 §4).
    static func bindings(_ hash: [UInt8]) -> [UInt8] { Array("tls-server-end-point:".utf8) + hash }

    // MARK: Its place

    func hasSameSecret(as other: any Credential) -> Bool {
        guard let other = other as? NegotiateCredential else { return false }
        return client === other.client && space == other.space
    }

    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? {
        challenge.space == space ? NegotiateCredential(client, for: challenge, of: provider) : nil
    }

    /// Never sent ahead: a server that recognises the connection or a cookie does not challenge again.
    func covers(_ target: TargetURL) -> Bool { false }

    func isAllowed(to destination: CredentialDestination) -> Bool { provider.allows(destination) }

    // MARK: The login

    func authorization(for request: ConversationRequest) async throws -> String {
        let prepared = stage.withLock { stage -> [UInt8]? in
            guard case .ready(let context, let token) = stage else { return nil }
            stage = .begun(context)
            return token.value
        }
        if let prepared { return Self.value(prepared) }
        let (context, token) = try await client.begin(
            at: space.origin.host, bindings: bindings, within: limit, clock: clock)
        stage.withLock { $0 = .begun(context) }
        return Self.value(token)
    }

    private static func value(_ token: [UInt8]) -> String { "Negotiate \(Data(token).base64EncodedString())" }

    func isContinued(by challenge: OfferedChallenge) -> Bool {
        guard challenge.method == .negotiate, challenge.token68 != nil else { return false }
        return begun != nil
    }

    /// The credential with the next message of this login.
    ///
    /// - Throws: `KerberosError` if the server's message refuses the login, or is damaged
    func continued(by challenge: AuthenticationChallenge) async throws -> NegotiateCredential {
        guard let context = begun, let token = try Self.token(challenge.offered) else {
            throw KerberosError(.invalidToken, "\(space.origin) sent a message that belongs to no login.")
        }
        let next = try await client.next(token, of: context, within: limit, clock: clock)
        guard !next.isEmpty else {
            throw KerberosError(.invalidToken, "\(space.origin) asks for more after the login was complete.")
        }
        return NegotiateCredential(client, space, provider, bindings, limit, clock, .ready(context, Redacted(next)))
    }

    /// Checks the message in the server's answer. An error may come without a message, because the server did not use
    /// the login.
    func verify(_ response: HTTPResponse) async throws {
        guard let context = begun else { return }
        let offered = OfferedChallenge.offered(by: response).first { $0.method == .negotiate && $0.token68 != nil }
        guard let offered, let token = try Self.token(offered) else {
            guard response.status.code < 400 else { return }
            throw KerberosError(
                .serverNotAuthenticated,
                "\(space.origin) answered the Kerberos ticket without a proof that it has the key of its service.")
        }
        _ = try await client.next(token, of: context, within: limit, clock: clock)
        guard context.isComplete else {
            throw KerberosError(
                .serverNotAuthenticated, "\(space.origin) answered before the login with Kerberos was complete.")
        }
        stage.withLock { $0 = .unused }
    }

    private var begun: GSSContext? {
        stage.withLock { if case .begun(let context) = $0 { context } else { nil } }
    }

    /// The longest message that is read.
    private static let maximumToken = 64 << 10

    private static func token(_ offered: OfferedChallenge) throws(KerberosError) -> [UInt8]? {
        guard let text = offered.token68 else { return nil }
        guard text.utf8.count <= maximumToken * 4 / 3 + 4, let data = Data(base64Encoded: text), !data.isEmpty else {
            throw KerberosError(.invalidToken, "The server's message is not base64, or longer than 64 KiB.")
        }
        return Array(data)
    }
}

extension NegotiateCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, the login and the origin.
    var description: String { "Negotiate, \(client.login), at \(space.origin)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
