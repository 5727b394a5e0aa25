/// The shapes that the identity provider's pages have; each is an endpoint, `/idp/sso/NAME`.
package enum SAMLLoginStyle: String, Sendable, Hashable, CaseIterable, Codable {
    /// Name and password in one form that posts to an absolute path.
    case plain
    /// `action="#"`.
    case hash
    /// `action="?"`.
    case question
    /// A relative action, `../login/relative`.
    case relative
    /// No action at all: the form posts to the page's URL, query included.
    case noaction
    /// Unquoted attributes, hidden inputs without a value, and a required select whose chosen option is empty;
    /// it has to be `corp`.
    case unquoted
    /// A form for a search before the one for the login, which is `multipart/form-data` and has radio buttons
    /// (`account` has to be `staff`) and a box to check (`terms`).
    case multipart
    /// The page is behind a redirect, `/idp/login/hop?AuthState=…`.
    case hop
    /// The name on one page, the password on the next.
    case split
    /// After the login a form with two buttons asks whether the service provider may know the name.
    case consent
    /// After the login a form asks for a one-time password (RFC 6238) and posts to `/idp/totp2fcheck`.
    case totp
    /// A script builds the form: without JavaScript there is none.
    case script
    /// The page that carries the response is submitted by an external script under a content security policy.
    case external
}
