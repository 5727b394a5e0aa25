extension ServerExchange {
    /// The authorization server that all origins share.
    var oauth: OAuthServer { shared.service() }

    /// The issuer of the requested origin, or of the origin that the path names: origins with client certificates serve
    /// all issuers.
    var issuer: String { shared.addresses.base(of: namedIssuer ?? origin) + "/oauth2" }

    private var namedIssuer: LandscapeOrigin? {
        guard origin == .mutual || origin == .mutualOptional, segments.count > 2, segments[1] == "of" else {
            return nil
        }
        return LandscapeOrigin(rawValue: segments[2])
    }

    /// The rest of the path after the issuer.
    var oauthPath: String { segments.dropFirst(namedIssuer == nil ? 1 : 3).joined(separator: "/") }

    /// The name of the login cookie. It has the origin, because cookies are shared by all ports.
    private var cookieName: String { "OAUTH2_LOGIN_\(origin.rawValue)" }

    var loginCookie: String? { CookieHeader.value(of: cookieName, in: incoming.fields) }

    /// The value of a `Set-Cookie` for the login.
    func loginSetCookie(_ value: String) -> String {
        "\(cookieName)=\(value); Path=/oauth2; HttpOnly; SameSite=Lax" + (origin.scheme == "https" ? "; Secure" : "")
    }
}
