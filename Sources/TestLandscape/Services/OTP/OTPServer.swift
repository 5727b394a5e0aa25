import Synchronization

/// A second factor after any first factor: `/otp/VARIANT/…`.
///
/// **Paths.** The variant's words are joined by `-`. The first factor is `basic`, `bearer` (an OAuth2 access token) or
/// `saml` (optionally with the words of ``SAMLVariant``; the default is `post-post`). `elsewhere` puts the form on
/// another port, and `strict` lets the form ask for Basic again. Examples are `/otp/basic/…`, `/otp/bearer/…`,
/// `/otp/saml/…`, `/otp/saml-redirect-artifact/…`, `/otp/basic-elsewhere/…`, `/otp/basic-strict/…`.
///
/// **Challenge.** A request with the first factor and without the second one gets 302 with `x-smp-authentication:
/// otp-challenge`, a cookie `OTP_FIRST_ORIGIN` (HttpOnly) for the user of the first factor, and the form's URL
/// `/otpform/VARIANT?to=…` as `Location`. A browser without that cookie gets 403 from the form.
///
/// **Form.** The form has the field `passcode` for the user's current code (RFC 6238), and a hidden `token`. A wrong
/// code gets 200 with the form again. Each code works once. The right code sets a cookie `OTP_SESSION_ORIGIN` and
/// redirects to the original URL, or with `redirecttooriginalurl=false` in the form's URL to
/// `/otpform/VARIANT?finished=true`. The page has a link to `sapauthenticator:`, which names `x-success`, an
/// `….xcallbackurl` URL that takes a `passcode`.
///
/// **Control.** ``Landscape/otpRule``, ``Landscape/otpCounters``, ``Landscape/passcode(of:)``,
/// ``Landscape/expireOTPSessions()``, and the gate `otp:form`. The same controls are below `/admin/otp/`. Secrets are
/// ``LandscapeUser/totpSecret``.
final class OTPServer: Service {
    /// The gate that holds requests for the form.
    static let gate = "otp:form"

    /// The sessions of the first factor, for the form only.
    let firstFactors: SessionStore
    /// The sessions of both factors.
    let sessions: SessionStore
    let forms: OTPFormStore
    let passcodes: PasscodeStore
    let counters = CounterSet(OTPCounters())
    let clock: LandscapeClock
    private let currentRule: Mutex<OTPRule>

    init(clock: LandscapeClock, rule: OTPRule) {
        self.clock = clock
        firstFactors = SessionStore(clock: clock, lifetime: .seconds(600))
        sessions = SessionStore(clock: clock, lifetime: rule.sessionLifetime)
        forms = OTPFormStore()
        passcodes = PasscodeStore(clock: clock)
        currentRule = Mutex(rule)
    }

    var rule: OTPRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    func endSessions() {
        firstFactors.endAll()
        sessions.endAll()
    }

    /// Forgets sessions, forms, used codes and counters. The rule stays.
    func reset() {
        endSessions()
        forms.removeAll()
        passcodes.removeAll()
        counters.reset()
    }

    func register(in table: inout EndpointTable) {
        table.add("otp") { try await OTPResource(exchange: $0).respond() }
        table.add("otpform") { try await OTPForm(exchange: $0).respond() }
    }

    let contents = [
        ContentsEntry("/otp/basic/…, /otp/bearer/…, /otp/saml/…", "a second factor: 302, x-smp-authentication"),
        ContentsEntry("/otp/saml-redirect-artifact/…", "the first factor with the words of /saml/"),
        ContentsEntry("/otp/basic-elsewhere/…, /otp/basic-strict/…", "the form on another port; behind Basic too"),
        ContentsEntry("/otpform/…", "the form for the code; redirecttooriginalurl=false ends with finished=true"),
    ]

    // MARK: Commands

    var name: String { "otp" }
    var counts: (any Encodable)? { counters.current }

    func read(_ command: String, _ exchange: ServerExchange) -> (any Encodable)? {
        guard command == "passcode" else { return nil }
        return ["passcode": exchange.shared.users.passcode(of: exchange.parameter("user") ?? "alice", clock: clock)]
    }

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        switch command {
        case "sessions/expire": sessions.endAll()
        case "rule":
            var rule = rule
            exchange.duration("throttle", Duration.seconds, max: 3600) { rule.throttle = $0 }
            if exchange.parameter("tolerance") != nil {
                rule.tolerance = UInt64(exchange.number("tolerance", default: 1, in: 0...100))
            }
            exchange.duration("delay", Duration.milliseconds, max: 3_600_000) { rule.delay = $0 }
            self.rule = rule
        default: throw AdminFailure.unknown
        }
        return nil
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry(
                "/admin/otp/counters, /admin/otp/passcode?user=alice", "GET: the counters; the current code"),
            ContentsEntry("/admin/otp/sessions/expire", "POST; /admin/hold?path=otp:form"),
            ContentsEntry("/admin/otp/rule?throttle=&tolerance=&delay=", "POST: seconds, periods of 30 seconds, ms"),
        ]
    }
}
