package import HttpC

/// The values of a command line about connections and logins. A command makes one from its options; this module knows
/// no options.
package struct ClientPlan: Sendable {
    package var connection = ConnectionSettings()
    package var web = WebSettings()
    /// The number of -v.
    package var verbose = 0
    /// The `User-Agent` of the command's own requests.
    package var userAgent = "httpc"

    // MARK: Login

    /// The name of the profile; nil for the longest match.
    package var profile: String?
    /// The name of the account of the profile's logon; nil for the profile's, else the selected one.
    package var account: String?
    /// The configuration file; nil for the one in its usual place.
    package var configuration: String?
    /// The user of -u.
    package var user: UserArgument?
    package var netrc: NetrcFile?
    package var kerberos = KerberosSettings()
    package var sendsBasic = false
    package var answersDigestOnly = false
    package var allowsBasicAfterDigest = false
    /// Whether -u also answers other origins after redirects.
    package var trustsRedirects = false
    /// The values of -b.
    package var cookies: [String] = []
    package var cookieJar: String?

    // MARK: Requests

    package var followsRedirects = true
    /// Whether a login page that nothing is configured for is an answer like any other.
    package var acceptsLoginPages = false
    package var maximumRedirects = 20
    package var decompresses = true
    /// Whether a request without `Accept` gets a default one.
    package var sendsAccept = true
    /// Whether a request without `User-Agent` gets a default one.
    package var sendsUserAgent = true
    package var continueTimeout: Duration?
    /// Bytes per second.
    package var rateLimit: Int?
    package var maximumBodyBytes: Int?

    package init() {}
}

/// The options for login pages.
package struct WebSettings: Sendable {
    /// The viewer; nil for the profile's.
    package var kind: Profile.ViewerChoice?
    package var isHeadless = false
    /// Whether no person is asked for the fields of pages, not even at a terminal.
    package var isUnattended = false
    /// Whether no person sees what is shown: logins on another device and in the person's own browser fail at once.
    package var isUnwatched = false
    /// The answers, by the names of their fields.
    package var answers: [String: AnswerSource] = [:]
    /// Further origins that may get the answers.
    package var answerOrigins: [Origin] = []

    package init() {}
}
