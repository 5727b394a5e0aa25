/// The text of `httpc --help`, which fits a screen of 80 by 24.
enum HelpScreen {
    private static let demo = EmbeddedServers.areIncluded ? "\nTo try it       demo  landscape" : ""

    static let text = """
        Usage: httpc [options] URL ...    one call, one answer; logs in on the way
               httpc COMMAND [options]    (a host named like a command: https://login/)

        What is sent    -X METHOD  -H "NAME: VALUE"  -d DATA  -F NAME=VALUE  -T FILE
        Login           -u USER  -n  --profile NAME  --cert FILE  -b COOKIES  -c FILE
        Login pages     --web KIND  --headless  --answer NAME=VALUE  --answer-env
        What is shown   -o FILE  -O  -C -  -i  -I  -v  -s  -f  -w TEXT  --trace FILE
        The server      --cacert FILE  -k  -x PROXY  -U USER  -m SECONDS  --http1.1

        Logins          login  logout  status  tokens  cookies  certificates
        Other programs  credential  relay
        Profiles        init URL  profiles  config check
        Applications    logon  unlock  lock  passcode  settings  unregister
        Data            odata\(demo)

        httpc https://example.com/data.json            the body to standard output
        httpc -u alice https://example.com/private     asks for the password
        httpc -o big.iso https://example.com/big.iso   complete or not at all
        httpc -v -I https://example.com/               tells every step; -vv heads, too

        More: httpc help options, logins, profiles, examples, verbose, exit-codes or
              files, and httpc help COMMAND.
        """
}
