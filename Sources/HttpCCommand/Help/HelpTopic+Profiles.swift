extension HelpTopic {
    static let profilesText = """
        PROFILES
          In the configuration file: httpc init URL writes one, httpc profiles lists
          them, httpc config check looks for mistakes. The tables below are examples
          to choose from, not one file: a profile needs few of them.

          [profiles.work]
          match  = ["https://intra.example.com/app/"]   whole path segments
          cacert = "ca.pem"
          proxy  = "http://proxy.example.com:3128"      "" is none; socks5h, https
          proxy-user = "bob"                            for this proxy alone
          proxy-password-env = "PROXY_PASSWORD"         or -file; else asks
          no-proxy = ["localhost", "10.0.0.0/8"]        proxy-cacert = "proxy-ca.pem"
          [profiles.work.basic]                         answers Digest, too
          username = "alice"
          password-env = "WORK_PASSWORD"    or password-file, password, or:
          password-command = ["pass", "show", "work"]   the first line it prints
          password-keyring = "work"         the desktop's: secret-tool store
                                            --label=work service httpc key work;
                                            or attributes, "service=x,user=y"
                                Every -env has its -file, -command and -keyring.
                                A program runs once, and gets no secret of the
                                environment.

          [profiles.work.kerberos]                      Negotiate; tickets of kinit, or:
          keytab = "job.keytab"             or cache = "FILE:/tmp/krb5cc_1000", or
                                            password-env (-file, …) with principal
          principal = "alice@EXAMPLE.COM"   service-name = "HTTP", delegation =
                                            "none" (policy, always), naming =
                                            "principal" (hostbased)
          proxy = true                      for the profile's proxy, too
          plain-http = true                 also over http, where others can use
                                            the ticket

          [profiles.work.cert]                          a client certificate
          file = "alice.p12"                or PEM, with key = "alice.key"; type =
                                            "P12" or "PEM" if the name has no suffix
          passphrase-env = "P12_PASS"       or passphrase-file; else asks
          origins = ["https://intra.example.com", "https://idp.example.com"]
                                            servers that get it; else those of match
          vault = "alice"                   instead: httpc certificates import
          token = "pkcs11:token=work;object=alice"      instead: on a token (RFC 7512)

          [profiles.shop]
          match  = ["https://api.example.com/"]
          [profiles.shop.oauth2]
          grant     = "code"    or password, client-credentials, device, and those
                                for services below
          issuer    = "https://login.example.com"   or authorization-endpoint,
                                token-endpoint, device-authorization-endpoint,
                                revocation-endpoint, end-session-endpoint,
                                pushed-request-endpoint
          client-id = "native"
          client-secret-env = "SHOP_SECRET"         or client-secret-file
          client-auth = "private_key_jwt"           or client_secret_basic (the
                                default with a secret), client_secret_post, none;
                                tls_client_auth, self_signed_tls_client_auth: by
                                the certificate of the profile's cert table
          client-key  = "client.pem"                with client-key-id,
                                client-key-passphrase-env or -file; else asks
          scopes    = ["read", "offline_access"]
          redirect-uri = "http://127.0.0.1:0/callback"
          username  = "alice"                       for grant = "password"
          password-env = "SHOP_PASSWORD"            or password-file
          token-origins = ["https://api.example.com"]   else those of match
          resources = ["https://api.example.com/"]  what the tokens are for
          dpop      = "required"                    tokens bound to a key; others
                                                    are refused
          prompt    = "login"                       max-age = "600", acr-values,
                                                    login-hint: of the login
          id-token  = true                          for httpc credential kubernetes
          [profiles.shop.oauth2.parameters]         others of the login's request
          ui_locales = "de"

          [profiles.orders.oauth2]                      for a person, without one
          grant     = "token-exchange"                  or jwt-bearer, saml2-bearer
          subject-token-env = "INCOMING"    or -file; subject-token-type = "jwt"
          actor-token-env   = "SERVICE"     or -file, where needed; actor-token-type
          audiences = ["orders"]            requested-token-type = "access_token"
          assertion-env = "ASSERTION"       or -file: for the two bearer grants, SAML
                                            in base64, on one line
          assertion-audience = "orders-idp" its audience, if it is not the issuer
          assertion-key = "service.pem"     instead, for jwt-bearer: signs an assertion
                                            about username; with assertion-key-id,
                                            -passphrase-env, assertion-issuer

          [profiles.mobile.oauth2]                      SAP's mobile services
          sap-server = "https://mobile.example.com/"    match if it is left out
          client-id  = "0f3a"                           logs in on pages (web)

          [profiles.field]                              an application that is
          match = ["https://mobile.example.com/"]       registered: httpc logon
          [profiles.field.logon]
          application = "com.example.sales"             its id there
          server  = "https://mobile.example.com/"       else match; path and all
          options = "Logon.plist"                       property list or JSON
          farm    = "farm1"                             gateway-client = "100"
          account = "Work"                              else the selected one: httpc
                                                        logon --switch
          passcode-env = "PASSCODE"                     or -file; else asks
                                with basic, cert, oauth2, saml2, otp as above: how
                                to log in where it registers

          [profiles.portal]
          match = ["https://sp.example.com/"]
          web   = "terminal"    or chromium, headless (Chromium without a window,
                                for answers), none, system (OAuth2 only); else what
                                there is: a window with a display, the terminal;
                                ["chromium", "terminal"] takes the second where
                                the first cannot be shown
          answer-origins = ["https://idp.example.com"]   else those named here
          sso         = "office"    shares sessions at identity providers with the
                                    profiles that name it; else its own; or "none"
          sso-origins = ["https://idp.example.com"]   else answer-origins, and the
                                    servers of oauth2
          sso-max-age = "8h"        for cookies without an expiry; at most "7d"
          logout-url  = "https://sp.example.com/logout"   for httpc logout
          [profiles.portal.saml2]                       empty: forms and redirects are
                                                    looked for, and the login ends
                                                    when the resource answers
          header = "..."                            marks a challenge; else SAP's
          start  = "/login"                         else the URL itself; or absolute
          finish-endpoint  = "/SAMLAuthLauncher"    instead of start: the page where
          finish-parameter = "finishEndpointParam"  logins start and end (SAP)
          ecp = "https://idp.example.com/SOAP/ECP"  instead of all these: no page
                                                    (SAML2 ECP), at this identity
          username     = "alice"                    provider; else the tickets of
          password-env = "IDP_PASSWORD"             [profiles.portal.kerberos]
          [profiles.wiki.web-login]                     any other login that ends in
                                                    cookies; empty: OpenID Connect,
                                                    WS-Federation, password forms
          redirect-to = ["https://idp.example.com", "/login"]   what a challenge is:
          status = "401"                            or ["401", "403"]; one suffices
          header = "x-login"                        with value = "...", or any
          password-form = true                      a page that asks for a password
          start = "/login"                          else the URL itself
          end   = "/done"                           a page that ends it, with
          end-parameter = "ok=1"                    these; else the resource does
          [profiles.portal.otp]                     empty: as SAP's mobile servers
          header = "x-smp-authentication"
          value  = "otp-challenge"
          parameters = "redirecttooriginalurl=false"
          finish = "finished=true"
          [profiles.portal.answers]                 fields of login pages
          user     = "alice"                        in a file closed to others
          password = { env = "PORTAL_PASSWORD" }    or { file = "password" },
                                { command = ["pass", "show", "idp"] },
                                { keyring = "idp" }
          passcode = { totp-env = "PORTAL_TOTP" }   a base32 secret; totp-file,
                                totp-command, totp-keyring
        """
}
