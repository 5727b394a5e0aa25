import HTTPTypes
import HummingbirdCore

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
struct OTPEndpoints: EndpointGroup {
    func register(in table: inout EndpointTable) {
        table.add("otp") { try await OTPResource(exchange: $0).respond() }
        table.add("otpform") { try await OTPForm(exchange: $0).respond() }
    }

    let entries = [
        ContentsEntry("/otp/basic/…, /otp/bearer/…, /otp/saml/…", "a second factor: 302, x-smp-authentication"),
        ContentsEntry("/otp/saml-redirect-artifact/…", "the first factor with the words of /saml/"),
        ContentsEntry("/otp/basic-elsewhere/…, /otp/basic-strict/…", "the form on another port; behind Basic too"),
        ContentsEntry("/otpform/…", "the form for the code; redirecttooriginalurl=false ends with finished=true"),
    ]
}
