/// The cookies of the second factor. Cookies are shared by all ports, so their names contain the origin. A form on
/// another port gets the origin in its URL.
struct OTPCookies {
    let exchange: ServerExchange
    /// The origin of the protected resource.
    let origin: LandscapeOrigin

    private var server: OTPServer { exchange.shared.service() }
    private var realm: String { "otp \(origin.rawValue)" }
    private var firstName: String { "OTP_FIRST_\(origin.rawValue)" }
    private var sessionName: String { "OTP_SESSION_\(origin.rawValue)" }

    private var attributes: String {
        "; Path=/; HttpOnly; SameSite=Lax" + (origin.scheme == "https" ? "; Secure" : "")
    }

    private func value(_ name: String) -> String? { CookieHeader.value(of: name, in: exchange.incoming.fields) }

    /// The cookie and the user of a passed first factor.
    var first: (cookie: String, user: String)? {
        value(firstName).flatMap { cookie in
            server.firstFactors.user(of: cookie, realm: realm).map { (cookie, $0) }
        }
    }

    /// The user who passed both factors.
    var user: String? { value(sessionName).flatMap { server.sessions.user(of: $0, realm: realm) } }

    func beginFirst(_ user: String) -> String {
        "\(firstName)=\(server.firstFactors.begin(user: user, realm: realm))\(attributes)"
    }

    func beginSession(_ user: String) -> String {
        "\(sessionName)=\(server.sessions.begin(user: user, realm: realm))\(attributes)"
    }
}
