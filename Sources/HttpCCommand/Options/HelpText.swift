/// The part of `--help` that teaches.
enum HelpText {
    static let discussion =
        """
        One call, one answer: redirects are followed, cookies go along, and where a server wants a login, \
        httpc answers with -u or a profile and repeats the request. The body goes to standard output, \
        everything else to standard error. Nothing secret is ever printed, not even an argument that is wrong, and \
        none of your headers, cookies or passwords goes to a server that you did not mean.

        EXAMPLES
          httpc https://example.com/data.json
          httpc -u alice https://example.com/private    asks for the password
          httpc -o big.iso https://example.com/big.iso  complete or not at all
          httpc -C - -o big.iso https://example.com/big.iso
                                                        goes on where it broke off
          httpc -T report.pdf -u alice https://example.com/inbox/
          httpc -d name=value -d @more.txt https://example.com/form
          httpc --cert alice.p12 https://example.com/   a client certificate
          httpc -x proxy.example.com:3128 -U bob https://example.com/
          httpc -v -I https://example.com/              shows every step
          httpc --profile work https://intra.example.com/
          httpc login --profile shop --grant device     logs in now, on another device
          httpc tokens --access-token --profile shop    for another program
          httpc --web terminal https://sp.example.com/  a SAML2 login as questions
          httpc --headless --answer-env password=PW https://sp.example.com/
                                                        a login nobody attends
          httpc logon --profile field                   brings a device aboard
          httpc demo                                    see it at work

        PROFILES  (configuration file)
          [profiles.work]
          match  = ["https://intra.example.com/app/"]   whole path segments
          cacert = "ca.pem"
          proxy  = "http://proxy.example.com:3128"      "" is none; socks5h, https
          proxy-user = "bob"                            for this proxy alone
          proxy-password-env = "PROXY_PASSWORD"         or -file; else asks
          no-proxy = ["localhost", "10.0.0.0/8"]        proxy-cacert = "proxy-ca.pem"
          [profiles.work.basic]                         answers Digest, too
          username = "alice"
          password-env = "WORK_PASSWORD"    or password-file, password; else asks

          [profiles.work.cert]                          a client certificate
          file = "alice.p12"                or PEM, with key = "alice.key"
          passphrase-env = "P12_PASS"       or passphrase-file; else asks
          origins = ["https://intra.example.com", "https://idp.example.com"]
                                            who may see it; else those of match
          vault = "alice"                   instead: httpc certificates import

          [profiles.shop]
          match  = ["https://api.example.com/"]
          [profiles.shop.oauth2]
          grant     = "code"    or password, client-credentials, device
          issuer    = "https://login.example.com"   or authorization-endpoint,
                                token-endpoint, device-authorization-endpoint,
                                revocation-endpoint
          client-id = "native"
          client-secret-env = "SHOP_SECRET"         or client-secret-file
          client-auth = "private_key_jwt"           or tls_client_auth, by the
                                certificate of the profile's cert section
          client-key  = "client.pem"                with client-key-id,
                                client-key-passphrase-env or -file; else asks
          scopes    = ["read", "offline_access"]
          redirect-uri = "http://127.0.0.1:0/callback"
          username  = "alice"                       for grant = "password"
          password-env = "SHOP_PASSWORD"            or password-file
          token-origins = ["https://api.example.com"]   else those of match

          [profiles.mobile.oauth2]                      SAP's mobile services
          sap-server = "https://mobile.example.com/"    match where it is left out
          client-id  = "0f3a"                           logs in on pages (web)

          [profiles.field]                              an application that is
          match = ["https://mobile.example.com/"]       registered: httpc logon
          [profiles.field.logon]
          application = "com.example.sales"             its id there
          server  = "https://mobile.example.com/"       else match; path and all
          options = "Logon.plist"                       property list or JSON
          farm    = "farm1"                             gateway-client = "100"
          passcode-env = "PASSCODE"                     or -file; else asks
                                with basic, cert, oauth2, saml2, otp as above: how
                                to log in where it registers

          [profiles.portal]
          match = ["https://sp.example.com/"]
          web   = "terminal"    or chromium, none, system (OAuth2 only); else what
                                there is: a window with a display, the terminal
          answer-origins = ["https://idp.example.com"]   else those named here
          [profiles.portal.saml2]
          header = "..."                            left out: forms are looked for
          finish-endpoint  = "/SAMLAuthLauncher"    or absolute
          finish-parameter = "finishEndpointParam"
          [profiles.portal.otp]                     empty: as SAP's mobile servers
          header = "x-smp-authentication"
          value  = "otp-challenge"
          parameters = "redirecttooriginalurl=false"
          finish = "finished=true"
          [profiles.portal.answers]                 fields of login pages
          user     = "alice"                        in a file closed to others
          password = { env = "PORTAL_PASSWORD" }    or { file = "password" }
          passcode = { totp-env = "PORTAL_TOTP" }   a base32 secret

          Without --profile the longest match applies. A profile's password goes to what it matches and \
        nowhere else. Its cookies are kept between calls; without a profile only -c keeps cookies. A SAML2 login \
        page that no profile is for is no answer: httpc says what a profile needs, and ends with 67.

          What a logon has is in a vault that a passcode locks. Unlocked, it is open for every httpc, until none has \
        used it for the time that the server's policy says, or until httpc lock: its key is in the kernel's memory, never \
        in a file. Where the kernel has no place for it, as in some containers, each httpc asks; where nobody is there \
        to be asked, a locked vault ends it with 67.

        EXIT STATUS
        \(exitStatuses)

        FILES
          $XDG_CONFIG_HOME/httpc/config.toml   profiles (else in ~/.config)
          $XDG_STATE_HOME/httpc/PROFILE/       tokens, cookies and used codes, in an
                                               encrypted vault (else in ~/.local/state)
          $XDG_STATE_HOME/httpc/PROFILE/logon/ what a logon has, behind a passcode

        ENVIRONMENT
          http_proxy, https_proxy, all_proxy   proxies, by curl's rules; the command line
          no_proxy                             and profiles say otherwise
          NO_COLOR                             no colours
          BROWSER                              opens the pages of logins
          HTTPC_VAULT_KEY                      the vault's key, rather than vault.key
          XDG_CONFIG_HOME, XDG_STATE_HOME, HOME  where the files are
        """

    private static let exitStatuses = ExitStatus.allCases.filter { $0 != .receiveFailed }.map { status in
        let number = String(status.rawValue)
        return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + status.meaning
    }.joined(separator: "\n")
}
