/// The styles of the identity provider's pages. Each has an endpoint, `/idp/sso/NAME`.
package enum SAMLLoginStyle: String, Sendable, Hashable, CaseIterable, Codable {
    /// Name and password in one form that posts to an absolute path.
    case plain
    /// An action of `#`.
    case hash
    /// An action of `?`.
    case question
    /// A relative action, `../login/relative`.
    case relative
    /// A form without an action, which posts to the page's URL with its query.
    case noaction
    /// Unquoted attributes, hidden inputs without a value, and a required select whose initial option is empty. The
    /// right option is `corp`.
    case unquoted
    /// A search form before the login form. The login form is `multipart/form-data`, with radio buttons (the right
    /// `account` is `staff`) and a required checkbox (`terms`).
    case multipart
    /// The page is behind a redirect, `/idp/login/hop?AuthState=…`.
    case hop
    /// The name on one page, and the password on the next.
    case split
    /// After the login, a form with two buttons asks whether the service provider may know the name.
    case consent
    /// After the login, a form asks for a one-time password (RFC 6238) and posts to `/idp/totp2fcheck`.
    case totp
    /// A script builds the form. Without JavaScript the page has none.
    case script
    /// An external script submits the page with the response, under a content security policy.
    case external
}
