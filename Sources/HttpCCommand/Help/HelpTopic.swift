import HttpCTerminal

/// The topics of `httpc help TOPIC`; the man page has all of them.
enum HelpTopic: String, CaseIterable {
    case options
    case logins
    case profiles
    case examples
    case verbose
    case exitCodes = "exit-codes"
    case files

    /// The text, at most 80 columns wide.
    var text: String {
        switch self {
        case .options: RequestCommand.helpMessage()
        case .logins: Self.loginsText
        case .profiles: Self.profilesText
        case .examples: Self.examplesText
        case .verbose: Self.verboseText
        case .exitCodes: "EXIT STATUS\n" + Self.exitStatuses
        case .files: Self.filesText
        }
    }

    private static let exitStatuses = ExitStatus.allCases.filter { $0 != .receiveFailed }.map { status in
        let number = String(status.rawValue)
        return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + status.meaning
    }.joined(separator: "\n")

    private static let filesText = """
        FILES
          $XDG_CONFIG_HOME/httpc/config.toml   profiles (else in ~/.config)
          $XDG_STATE_HOME/httpc/PROFILE/       tokens, cookies and used codes, in an
                                               encrypted vault (else in ~/.local/state)
          $XDG_STATE_HOME/httpc/PROFILE/logon/ the data of a logon, behind a passcode;
                                               further accounts are in accounts/
          $XDG_STATE_HOME/httpc/sso@NAME/      sessions at identity providers that the
                                               profiles with sso = "NAME" share
          $XDG_STATE_HOME/httpc/.certificates/ certificates that were imported
          $XDG_STATE_HOME/httpc/.servers/      keys of servers that were accepted
          $XDG_STATE_HOME/httpc/.relays/       relays in the background, with their URLs
          ~/.netrc                             logins by host, with -n

        ENVIRONMENT
          http_proxy, https_proxy, all_proxy   proxies, by curl's rules; options and
          no_proxy                             profiles go before them
          CURL_CA_BUNDLE, SSL_CERT_FILE        the file of trusted authorities; options
                                               and profiles go before it
          NO_COLOR                             no colours
          BROWSER                              opens the pages of logins
          HTTPC_VAULT_KEY                      the vault's key, rather than vault.key
          XDG_CONFIG_HOME, XDG_STATE_HOME, HOME  where the files are
        """

    private static let demo =
        EmbeddedServers.areIncluded ? "\n  httpc demo                                    see it at work" : ""

    private static let examplesText = """
        EXAMPLES
          httpc https://example.com/data.json
          httpc -u alice https://example.com/private    asks for the password
          httpc -o big.iso https://example.com/big.iso  complete or not at all
          httpc -C - -o big.iso https://example.com/big.iso
                                                        resumes it
          httpc -T report.pdf -u alice https://example.com/inbox/
          httpc -d name=value -d @more.txt https://example.com/form
          httpc -F title=May -F file=@may.pdf https://example.com/form
                                                        a form with a file
          httpc -Z --remote-name-all https://example.com/a https://example.com/b
                                                        both at once, with one login
          httpc --cert alice.p12 https://example.com/   a client certificate
          httpc -x proxy.example.com:3128 -U bob https://example.com/
          httpc -v -I https://example.com/              tells every step; -vv: heads
          httpc --profile work https://intra.example.com/
          httpc login --profile shop --grant device     logs in now, on another device
          httpc tokens --access-token --profile shop    for another program
          httpc tokens --header --profile shop | curl -H @- https://api.example.com/
          httpc --web terminal https://sp.example.com/  a SAML2 login as questions
          httpc --headless --answer-env password=PW https://sp.example.com/
                                                        a login without a person
          httpc logon --profile field                   registers a device
          httpc odata https://example.com/service/ Products --all
          httpc relay https://docs.example.com/ -- wget -r {url}/
                                                        a login for another program\(demo)
        """
}
