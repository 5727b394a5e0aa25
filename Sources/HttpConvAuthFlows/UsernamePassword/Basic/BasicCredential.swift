import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A user name and password for Basic (RFC 7617).
///
/// The text is sent as UTF-8 if the server asks for it (`charset="UTF-8"`), else as ISO-8859-1 if it fits, else as
/// UTF-8. If a server that did not ask refuses the ISO-8859-1 form, ``UsernamePasswordFilter`` tries the UTF-8 form
/// once, since many servers expect UTF-8 without saying so. Plain ASCII is the same in both, so a wrong password costs
/// one failed login.
struct BasicCredential: ConstantCredential {
    private let login: UsernamePassword
    private let encoding: BasicEncoding
    private let octets: Redacted<[UInt8]>
    let authorization: Redacted<HTTPField>
    private let origin: Origin
    private let coverage: ChallengedDirectories
    /// The provider of the password.
    private let provider: (any UsernamePasswordProvider)?
    /// The time for which it is kept; the form in the other encoding is kept as long.
    let persistence: CredentialPersistence

    /// A credential for the space of a challenge.
    ///
    /// - Parameter provider: the provider of the password; the credential goes only to destinations that it serves
    /// - Throws: ``ConversationError/Code/authenticationFailed`` for a colon in the user name, which Basic cannot
    ///   carry, and for control characters
    init(
        _ login: UsernamePassword, for challenge: AuthenticationChallenge, persistence: CredentialPersistence,
        of provider: (any UsernamePasswordProvider)? = nil
    ) throws(ConversationError) {
        try LoginText.refuseControls(login, for: challenge.space)
        guard !login.username.unicodeScalars.contains(":") else {
            throw ConversationError(
                .authenticationFailed,
                """
                The user name for \(challenge.space) contains a colon, which Basic authentication cannot carry: the \
                server would take what follows it for the password. Nothing was sent.
                """)
        }
        let coverage = ChallengedDirectories(challenge.target)
        self.init(
            login, BasicEncoding(for: login, challenge), origin: challenge.space.origin, coverage, persistence, provider
        )
    }

    private init(
        _ login: UsernamePassword, _ encoding: BasicEncoding, origin: Origin, _ coverage: ChallengedDirectories,
        _ persistence: CredentialPersistence, _ provider: (any UsernamePasswordProvider)?
    ) {
        let octets = encoding.octets(of: login)
        self.login = login
        self.encoding = encoding
        self.octets = Redacted(octets)
        authorization = Redacted(HTTPField(name: .authorization, value: BasicEncoding.field(of: octets)))
        self.origin = origin
        self.coverage = coverage
        self.persistence = persistence
        self.provider = provider
    }

    /// Whether the challenged exchange carried the same secret ahead of the challenge.
    func isRefused(_ sentAhead: SentAheadPassword?, by challenge: AuthenticationChallenge) -> Bool {
        sentAhead?.isRefused(by: challenge, as: octets.value) ?? false
    }

    /// The same login as UTF-8, if it was sent as ISO-8859-1 and the two differ.
    var otherEncoding: BasicCredential? {
        guard encoding == .latin1, octets.value.contains(where: { $0 >= 0x80 }) else { return nil }
        return BasicCredential(login, .utf8, origin: origin, coverage, persistence, provider)
    }

    func hasSameSecret(as other: any Credential) -> Bool {
        guard let other = other as? BasicCredential else { return false }
        return ConstantTime.isEqual(octets.value, other.octets.value)
    }

    /// This credential, extended to the challenged directory.
    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? {
        guard challenge.method == .basic, challenge.space.origin == origin else { return nil }
        coverage.learn(challenge.target)
        guard encoding == .latin1, BasicEncoding.isUTF8Demanded(by: challenge) else { return self }
        return BasicCredential(login, .utf8, origin: origin, coverage, persistence, provider)
    }

    func covers(_ target: TargetURL) -> Bool { target.origin == origin && coverage.contains(target) }

    /// Whether its provider serves the destination. Over plain http off loopback only the caller's own origin is
    /// allowed (security rule S7).
    func isAllowed(to destination: CredentialDestination) -> Bool {
        !destination.exposesPassword && provider?.servesServerOrProxy(destination) != false
    }

    func authorization(for request: ConversationRequest) async throws -> String { authorization.value.value }
}

extension BasicCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, the user name and the origin.
    var description: String { "Basic, \(login), at \(origin)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
