package import HttpC
import HttpCTerminal

/// One profile of the configuration file.
package struct Profile: Sendable {
    /// The profile's name; also the name of its state directory.
    package let name: String
    /// The configuration file of `--config`; nil for the usual one.
    var configuration: String?
    /// The URLs that the profile is for.
    package var match: [ProfileMatch] = []
    /// The first viewer for login pages; nil: the best available.
    var viewer: ViewerChoice?
    /// The viewers to try, in order, if ``viewer`` cannot open a window.
    var otherViewers: [ViewerChoice] = []
    /// The PEM file to trust, absolute.
    var caCertificate: String?
    /// The proxy; nil: the environment's.
    var proxy: ProfileProxy?
    /// The servers that are reached without a proxy; nil: those of the environment.
    var proxyBypass: ProxyBypassList?
    /// The PEM file to trust for a proxy that is reached by https, absolute.
    var proxyAuthority: String?
    /// The origins that may get form answers; empty: the origins that the profile names.
    var answerOrigins: [Origin] = []
    /// User name and password for Basic and Digest.
    var basic: BasicTable?
    /// Kerberos tickets, for Negotiate.
    var kerberos: KerberosTable?
    /// A client certificate.
    var certificate: CertificateFile?
    /// Tokens of an authorization server.
    var oauth2: OAuth2Table?
    /// A service provider.
    var saml2: SAML2Table?
    /// Another login on web pages.
    var webLogin: WebLoginTable?
    /// A second factor.
    var otp: OTPConfig?
    /// The answers for fields of login pages, by the fields' names.
    var answers: [String: AnswerSource] = [:]
    /// The sessions at identity providers.
    var singleSignOn = SingleSignOnKeys()
    /// A registration with a mobile server, whose vault has the credentials.
    var logon: LogonTable?

    /// Whether a request may lead to a login whose cookies are kept.
    var hasWebLogin: Bool { saml2 != nil || webLogin != nil || otp != nil }

    /// Whether it is for all URLs of a server.
    func isForAll(of origin: Origin) -> Bool { match.contains(ProfileMatch(origin: origin)) }

    /// The values of `web`.
    package enum ViewerChoice: String, CaseIterable, Sendable {
        case chromium
        /// Chromium without a window, for prepared answers.
        case headless
        case system, terminal, none
    }
}

/// The source of a password or client secret. The secret is fetched when a server asks.
package enum SecretSource: Sendable {
    case literal(Redacted<String>)
    case environment(String)
    case file(String)
    /// The first line that a program prints: its absolute path or its name on the `PATH`, and its arguments.
    case command([String])
    /// An entry of the desktop's key ring (Secret Service): a name, or attributes as `a=b,c=d`.
    case keyring(String)
    case prompt

    /// The output of a program. Quotes work as in a shell, which is not started.
    ///
    /// - Parameter line: the program and its arguments
    /// - Returns: nil without a program, or if a quote has no end
    package init?(commandLine line: String) {
        guard let words = ShellWords.split(line), words.first?.isEmpty == false else { return nil }
        self = .command(words)
    }

    /// An entry of the desktop's key ring. Returns nil for a text that names none.
    package init?(keyringEntry entry: String) {
        guard SecretPrograms.isEntry(entry) else { return nil }
        self = .keyring(entry)
    }
}

/// The source of the answer for a form's field. The answer is fetched when a login begins.
package enum AnswerSource: Sendable {
    case text(SecretSource)
    /// The base32 secret of one-time codes.
    case totp(SecretSource)
}

/// The `proxy` of a profile, and the login there.
struct ProfileProxy: Sendable {
    /// The proxy; nil for none, even if the environment names one.
    let server: ProxyServer?
    /// `proxy-user`.
    let username: String?
    /// `proxy-password`, or one of its relatives, such as `proxy-password-env`.
    let password: SecretSource
}
