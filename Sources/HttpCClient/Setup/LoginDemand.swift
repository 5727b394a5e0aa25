package import HttpC
import HttpCTerminal

/// The login that a server demands with an answer. Nothing of it is trusted.
package enum LoginDemand: Sendable {
    /// Basic or Digest. The realm is text from a peer.
    case password(AuthenticationMethod, realm: String)
    /// A Bearer challenge, with its `scope` and `resource_metadata`, and Basic or Digest if the server offers it, too.
    case token(scope: String?, metadata: TargetURL?, password: AuthenticationMethod?)
    /// Negotiate, and Basic or Digest if the server offers it, too.
    case ticket(password: AuthenticationMethod?)
    /// A login on web pages.
    case page(RecognizedLogin)
    case certificate(Origin)
    /// Answers for the fields of a login page, at most ten. Their names are text from a peer, of at most 200 bytes.
    case answers([WebLoginError.MissingField])
    /// A login that no profile can have, in words.
    case unknown(String)

    /// The demand of a 401; nil for any other answer.
    init?(_ head: HTTPResponse) {
        guard head.status == .unauthorized else { return nil }
        let offered = OfferedChallenge.offered(by: head)
        let password =
            offered.first { $0.method == .digest } ?? offered.first { $0.method == .basic }
        if let bearer = offered.first(where: { $0.method == .bearer }) {
            let metadata = bearer.parameter("resource_metadata").flatMap { try? TargetURL($0) }
            self = .token(scope: bearer.parameter("scope"), metadata: metadata, password: password?.method)
        } else if offered.contains(where: { $0.method == .negotiate }) {
            self = .ticket(password: password?.method)
        } else if let password {
            self = .password(password.method, realm: password.realm ?? "")
        } else {
            let schemes = offered.prefix(5).map { TerminalText.sanitise($0.scheme, limit: 30) }.joined(separator: ", ")
            self = .unknown(
                schemes.isEmpty
                    ? "it answered 401 and did not say how to log in"
                    : "it wants a login by \(schemes), which this client does not speak")
        }
    }

    /// The demand that ended a conversation; nil for any other error.
    init?(_ error: ConversationError, of target: TargetURL) {
        if let login = error.underlyingError as? RecognizedLogin {
            self = login.kind == .bearer ? .token(scope: nil, metadata: login.metadata, password: nil) : .page(login)
        } else if let page = error.underlyingError as? WebLoginError, page.code == .missingAnswer,
            !page.missingFields.isEmpty, page.missingFields.allSatisfy({ $0.name.utf8.count <= 200 })
        {
            self = .answers(Array(page.missingFields.prefix(10)))
        } else if error.code == .clientCertificateRequired {
            self = .certificate(target.origin)
        } else {
            return nil
        }
    }

    /// Whether a page that is known already wants answers.
    var isOfAnswers: Bool { if case .answers = self { true } else { false } }

    /// Whether a profile has no login of this kind yet.
    func isNew(to profile: Profile) -> Bool {
        switch self {
        case .password: profile.basic == nil
        case .ticket: profile.kerberos == nil && profile.basic == nil
        case .token(_, _, let password): profile.oauth2 == nil && (password == nil || profile.basic == nil)
        case .certificate: profile.certificate == nil
        case .answers(let fields): fields.contains { !$0.isFilledIn && profile.answers[$0.name] == nil }
        case .page(let login) where login.kind == .oneTimeCode: profile.otp == nil
        case .page(let login) where login.kind == .saml2: profile.saml2 == nil
        case .page: profile.webLogin == nil
        case .unknown: false
        }
    }

    /// The demand, for people.
    func words(_ origin: Origin) -> String {
        switch self {
        case .password(let method, let realm):
            "\(origin) wants a user name and a password (\(method == .digest ? "Digest" : "Basic")"
                + (realm.isEmpty ? "" : ", realm \"\(TerminalText.sanitise(realm, limit: 60))\"") + ")."
        case .ticket(let password):
            "\(origin) wants a Kerberos ticket (Negotiate)"
                + Self.orPassword(password)
        case .token(_, _, let password): "\(origin) wants an access token (Bearer)" + Self.orPassword(password)
        case .page(let login): login.message
        case .certificate(let origin): "\(origin) wants a client certificate."
        case .answers(let fields):
            "its login page has "
                + fields.filter { !$0.isFilledIn }.map { "\"\(TerminalText.sanitise($0.name, limit: 40))\"" }.joined(
                    separator: ", ") + "."
        case .unknown(let words): "\(origin): \(words)."
        }
    }

    private static func orPassword(_ method: AuthenticationMethod?) -> String {
        (method.map { ", or a user name and a password (\($0 == .digest ? "Digest" : "Basic"))" } ?? "") + "."
    }
}
