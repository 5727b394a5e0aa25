import HTTPTypes
import HummingbirdCore

/// A second factor after any first: `/otp/VARIANT/…`.
///
/// **Where.** The variant's words are joined by `-`: the first factor is `basic`, `bearer` (an OAuth2 access token) or
/// `saml` (which may be followed by the words of ``SAMLVariant``, `post-post` where left out); `elsewhere` puts the form
/// on another port, `strict` lets the form ask for Basic again. So `/otp/basic/…`, `/otp/bearer/…`, `/otp/saml/…`,
/// `/otp/saml-redirect-artifact/…`, `/otp/basic-elsewhere/…`, `/otp/basic-strict/…`.
///
/// **Challenge.** First factor there, second not: 302 with `x-smp-authentication: otp-challenge`, a cookie
/// `OTP_FIRST_ORIGIN` (HttpOnly) that says who passed the first factor, and the form's URL
/// `/otpform/VARIANT?to=…` as `Location`. A browser without that cookie gets 403 from the form.
///
/// **Form.** Field `passcode` with the user's current code (RFC 6238), a hidden `token`; a wrong code is 200 with the
/// form again. Each code works once. After the right one a cookie `OTP_SESSION_ORIGIN` is set, and a redirect goes to the
/// original URL, or with `redirecttooriginalurl=false` in the form's URL to `/otpform/VARIANT?finished=true`. A link to
/// `sapauthenticator:` is on the page; it names `x-success`, an `….xcallbackurl` URL that takes a `passcode`.
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
