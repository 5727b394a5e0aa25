import HttpC

/// One profile of the configuration file.
struct Profile: Sendable {
    /// Its name; also the name of its state directory.
    let name: String
    /// Where it applies.
    var match: [ProfileMatch] = []
    /// How logins reach a person.
    var web: WebChoice?
    /// The PEM file to trust, absolute.
    var caCertificate: String?
    /// The proxy to go through; nil: the environment's.
    var proxy: ProfileProxy?
    /// What is reached without a proxy; nil: what the environment says.
    var proxyBypass: ProxyBypassList?
    /// The PEM file to trust of a proxy reached by https, absolute.
    var proxyAuthority: String?
    /// Where form answers may go; empty: to the origins that the profile names.
    var answerOrigins: [Origin] = []
    /// User name and password for Basic and Digest.
    var basic: BasicLogin?
    /// A client certificate.
    var certificate: CertificateFile?
    /// Tokens of an authorization server.
    var oauth2: OAuth2Login?
    /// A service provider.
    var saml2: SAML2Login?
    /// A second factor.
    var otp: OTPConfig?
    /// What goes into the fields of login pages, by their names.
    var answers: [String: AnswerSource] = [:]
    /// A registration with a mobile server, whose vault has what requests need.
    var logon: MobileLogon?

    /// The values of `web`.
    enum WebChoice: String, CaseIterable, Sendable {
        case chromium, system, terminal, none
    }
}

/// `[profiles.NAME.basic]`.
struct BasicLogin: Sendable {
    let username: String
    let password: PasswordSource
}

/// Where a password or client secret comes from. It is fetched when a server asks.
enum PasswordSource: Sendable {
    case literal(Redacted<String>)
    case environment(String)
    case file(String)
    case prompt
}
