import HTTPTypes
import HummingbirdCore

/// Sites with logins that end in cookies only: `/site/VARIANT/…`, and their identity provider `/site-idp/…`.
///
/// **Sites.** The variant is
/// - `form`: a redirect to `/site/form/login?next=…`, a page with a login form, as Django and WordPress have it;
/// - `inline`: the login form at the resource's own URL, with 200; `inline-401` with 401;
/// - `oidc`: a relying party of OpenID Connect, as mod_auth_openidc: a redirect to the identity provider, which comes
///   back to `/site/oidc/callback` with a code; `oidc-post` with a form (`response_mode=form_post`);
/// - `form-never` and `oidc-never`: the same without an end, because no session counts.
///
/// The form has the fields `user`, `password` and a hidden `token`, which belongs to a cookie.
///
/// **Identity provider.** At ``LandscapeOrigin/identityProvider`` of the site's origin, with the same form, and a session
/// of its own.
///
/// **Control.** ``Landscape/siteCounters``, ``Landscape/expireSiteSessions()``,
/// ``Landscape/expireSiteIdentityProviderSessions()``, and the gate `site:login`.
final class SiteServer: Service {
    /// The gate that holds requests for login pages.
    static let gate = "site:login"

    /// An authentication request that waits at the identity provider.
    struct SignOn: Sendable {
        let redirectURI: String
        let state: String
        let isForm: Bool
    }

    /// Where a form leads.
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
}
