import HTTPTypes
import HummingbirdCore
import Synchronization

/// Sites with logins that end in cookies only: `/site/VARIANT/…`, and their identity provider `/site-idp/…`.
///
/// **Sites.** The variant is
/// - `form`: a redirect to `/site/form/login?next=…`, a page with a login form, as Django and WordPress have it;
/// - `inline`: the login form at the resource's own URL, with 200; `inline-401` with 401;
/// - `oidc`: a relying party of OpenID Connect, as mod_auth_openidc: a redirect to the identity provider, which comes
///   back to `/site/oidc/callback` with a code; `oidc-post` with a form (`response_mode=form_post`);
/// - `form-never` and `oidc-never`: the same without an end, because no session counts;
/// - `form-keep`, `inline-keep`: the cookie of the login page becomes the session's, and never changes;
///   `form-keep-button`: the resource is a page with a button, whose presses are counted;
/// - `form-keep-landing`: the login leads to a page with a search and a note, whose sending counts as a press;
/// - `form-agent`: the session is valid only for the `User-Agent` of its login;
/// - `form-refused`, `form-public`: a page with status 403 or 200 that only links to the login page;
/// - `form-script`: the login page has its form by a script; also `form-refused-script`;
/// - `form-otp`, `form-terms`: after the password the resource redirects to `/site/form-otp/next`, which asks for the
///   code ``code``, or for consent with the button `accept`.
///
/// The form has the fields `user`, `password` and a hidden `token`, which belongs to a cookie. `…/settings` and
/// `…/users/new` of each site are pages for people who are logged in, with a password and a link to log out. Sending them
/// counts as a press. Each answer of `…/settings` renews the session.
///
/// **Identity provider.** At ``LandscapeOrigin/identityProvider`` of the site's origin, with the same form, and a
/// session of its own.
///
/// **Control.** ``Landscape/siteCounters``, ``Landscape/expireSiteSessions()``,
/// ``Landscape/expireSiteIdentityProviderSessions()``, and the gate `site:login`.
final class SiteServer: Service {
    /// The gate that holds requests for login pages.
    static let gate = "site:login"
    /// The one-time code of the sites that ask for one.
    static let code = "424242"

    /// An authentication request that waits at the identity provider.
    struct SignOn: Sendable {
        let redirectURI: String
        let state: String
        let isForm: Bool
    }

    /// The page after a form.
    enum Purpose: Sendable {
        case site(next: String)
        case signOn(SignOn)
    }

    let sessions: SessionStore
    let browsers: BrowserStore<Purpose>
    let counters = CounterSet(SiteCounters())
    /// The users by codes that were not taken yet, and the URLs by states.
    let codes = OneTimeTexts()
    let states = OneTimeTexts()
    /// The sessions by the cookies of login pages, at sites that keep them.
    let kept = Mutex<[String: String]>([:])
    /// The programs that sessions belong to, at sites that check them.
    let agents = Mutex<[String: String]>([:])
    /// The sessions for which nothing is missing any more.
    let finished = Mutex<Set<String>>([])

    init(clock: LandscapeClock, sessionLifetime: Duration) {
        sessions = SessionStore(clock: clock, lifetime: sessionLifetime)
        browsers = BrowserStore(clock: clock)
    }

    func register(in table: inout EndpointTable) {
        table.add("site") { try await Site(exchange: $0, server: self).respond() }
        table.add("site-idp") { try await SiteIdentityProvider(exchange: $0, server: self).respond() }
    }

    let contents = [
        ContentsEntry("/site/form/…, /site/inline/…", "a login form: after a redirect; at the resource itself"),
        ContentsEntry("/site/oidc/…, /site/oidc-post/…", "a relying party of OpenID Connect"),
        ContentsEntry("/site/form-never/…, /site/oidc-never/…", "the same, but no session counts"),
        ContentsEntry("/site/form-keep/…, /site/form-keep-button/…", "a cookie that the login does not change"),
        ContentsEntry("/site/form-otp/…, /site/form-terms/…", "a code or consent after the password"),
        ContentsEntry("/site/form-keep-landing/…", "a page with forms after the login"),
        ContentsEntry("/site/form-refused/…, /site/form-public/…", "a page that only links to the login"),
        ContentsEntry("/site/form-script/…, /site/form-refused-script/…", "a login form that a script makes"),
        ContentsEntry("/site/form-agent/…", "a session for one User-Agent"),
        ContentsEntry("/site/form/settings, /site/form/users/new", "a password on pages for people who are logged in"),
    ]

    var name: String { "site" }
    var counts: (any Encodable)? { counters.current }

    func endSessions() {
        sessions.endAll()
        browsers.endAll()
    }

    func reset() {
        sessions.endAll()
        browsers.removeAll()
        codes.removeAll()
        states.removeAll()
        kept.withLock { $0 = [:] }
        agents.withLock { $0 = [:] }
        finished.withLock { $0 = [] }
        counters.reset()
    }
}

/// The counters of the sites with login pages since the start or the last reset.
public struct SiteCounters: Sendable, Hashable, Codable {
    /// Requests without a session.
    public var challenges = 0
    /// Accepted passwords, at sites and at the identity provider.
    public var logins = 0
    /// Refused passwords.
    public var refusals = 0
    /// Answers of the identity provider for a person who was logged in there already.
    public var signOns = 0
    /// Requests with a session.
    public var answers = 0
    /// Presses of the button of a resource, and other forms that people who are logged in have sent.
    public var presses = 0
}
