/// SAML2 Web SSO: each origin has a service provider, whose identity provider is at another origin.
///
/// **Paths.** `/saml/VARIANT/…` are protected resources for every method. The words of the variant are in
/// ``SAMLVariant``, such as `/saml/post-post/…`, `/saml/redirect-artifact-noheader/…`, `/saml/post-post-totp/…`. They
/// share one session per origin (cookie `SAML_SESSION_ORIGIN`, HttpOnly). The finish endpoint is `/SAMLAuthLauncher`
/// (with the bindings of the rule) or `/saml/VARIANT/SAMLAuthLauncher`. It redirects to itself with
/// `finishEndpointParam=true`. The identity provider of ``LandscapeOrigin/main`` is at
/// `http://localhost:PORT-OF-OTHER/idp/sso/STYLE`, that of ``LandscapeOrigin/secure`` at
/// `https://localhost:PORT-OF-SECUREOTHER/…`, and the other way round. The styles are in ``SAMLLoginStyle``. The
/// identity providers of ``LandscapeOrigin/mutual`` and ``LandscapeOrigin/mutualOptional`` are at the same ports under
/// the name `localhost`, and ask for a client certificate, too.
///
/// **Challenge.** By POST: 200 (or 401, 403) `text/html` without charset, with a form whose hidden fields are
/// `RelayState` and `SAMLRequest`, and with `com.sap.cloud.security.login: login-request` unless the variant has
/// `noheader`. By redirect: 302 with `SAMLRequest` and `RelayState` in the query. The answer goes to `/saml/acs` as
/// `SAMLResponse` or `SAMLart`.
///
/// **Users.** The landscape's users, such as alice / wonderland. The fields are `user` and `password` (`j_username`,
/// `j_password` and `domain` = `corp` in the style `unquoted`), and `code` for the one-time password.
///
/// **Answers.** JSON with `authenticated`, `user`, `factors`, `method`, `path`, and length and SHA-256 of the body, or
/// a page if the path ends in `.html`.
///
/// **Control.** ``Landscape/samlRule``, ``Landscape/samlCounters``, ``Landscape/expireSAMLSessions()``,
/// ``Landscape/failAssertions(_:times:)``, and the gates `saml:login` and `saml:acs`. The same controls are below
/// `/admin/saml/`. With ``LandscapeConfiguration/extraHostNames`` the identity provider may have a name of its own,
/// such as `idp.localhost` in ``SAMLRule/identityProviderHost``.
///
/// Both parties are test doubles: signatures are real, but are checked on the landscape's own documents only.
extension SAMLServer {
    func register(in table: inout EndpointTable) {
        table.add("saml") { try await ServiceProvider(exchange: $0).respond() }
        table.add("SAMLAuthLauncher") { ServiceProvider(exchange: $0).launch() }
        table.add("idp") { try await IdentityProvider(exchange: $0).respond() }
    }

    var contents: [ContentsEntry] {
        [
            ContentsEntry(
                "/saml/post-post/…", "SAML2: a form as challenge; post-artifact, redirect-post, redirect-artifact"),
            ContentsEntry(
                "/saml/post-post-WORD/…", "noheader, force, 401, 403, never, utf16, chunks, detour, or a login style"),
            ContentsEntry(
                "/SAMLAuthLauncher", "finish endpoint: ends with finishEndpointParam=true; /saml/…/ has it too"),
            ContentsEntry("/saml/acs, /saml/logout", "consumes SAMLResponse or SAMLart; ends the session"),
            ContentsEntry(
                "/idp/sso/{style}", SAMLLoginStyle.allCases.map(\.rawValue).joined(separator: ", ")),
            ContentsEntry("/idp/key.pem, /idp/artifact, /idp/logout", "the signer's key; the back channel; logs out"),
        ]
    }
}
