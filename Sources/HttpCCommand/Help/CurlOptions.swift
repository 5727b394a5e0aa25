import HttpConvFormats

/// Options of curl that httpc does not have, each with its replacement or the reason for its absence.
enum CurlOptions {
    /// The advice for an option; nil if curl does not have it.
    ///
    /// - Parameter name: the option's name, such as `--tlsv1.2`
    static func advice(_ name: String) -> String? {
        table[name.hasPrefix("--expand-") ? "--variable" : name]
    }

    /// The long names of one-letter options.
    static let letters: [UInt8: String] = Dictionary(
        uniqueKeysWithValues: [
            ("#", "--progress-bar"), ("0", "--http1.0"), ("1", "--tlsv1"), ("2", "--sslv2"), ("3", "--sslv3"),
            (":", "--next"), ("B", "--use-ascii"), ("K", "--config"), ("M", "--manual"), ("P", "--ftp-port"),
            ("Q", "--quote"), ("R", "--remote-time"), ("Y", "--speed-limit"), ("a", "--append"), ("g", "--globoff"),
            ("j", "--junk-session-cookies"), ("l", "--list-only"), ("p", "--proxytunnel"), ("q", "--disable"),
            ("t", "--telnet-option"), ("y", "--speed-time"), ("z", "--time-cond"),
        ].map { (UInt8(ascii: $0.0), $0.1) })

    private static let table: [String: String] = {
        var table: [String: String] = [:]
        for (advice, names) in groups { for name in names.split(ascii: " ") { table["--\(name)"] = advice } }
        return table
    }()

    private static let groups: [(advice: String, names: String)] = [
        (
            "Leave it out: httpc speaks TLS 1.2 and 1.3 only, with ciphers of the library's choice.",
            "tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max ciphers tls13-ciphers curves sslv2 sslv3 ssl-allow-beast false-start no-alpn no-npn no-sessionid ssl-auto-client-cert ssl-no-revoke ssl-revoke-best-effort proxy-tlsv1 proxy-ciphers proxy-tls13-ciphers proxy-ssl-allow-beast proxy-ssl-auto-client-cert"
        ),
        (
            "Use -H @FILE, with a file that holds 'Authorization: Bearer TOKEN', or a profile with OAuth2, which gets the token (httpc help profiles): arguments are seen by everybody on the machine.",
            "oauth2-bearer"
        ),
        (
            "NTLM is not supported, because its messages can be relayed to other servers: use --negotiate, which sends Kerberos tickets (httpc help logins).",
            "ntlm ntlm-wb proxy-ntlm"
        ),
        (
            "Use --negotiate, or --proxy-negotiate for an HTTP proxy; --service-name is for both.",
            "krb proxy-service-name socks5-gssapi socks5-gssapi-nec socks5-gssapi-service"
        ),
        (
            "It is one vendor's signature, which httpc does not make: sign with another program, and use -H.",
            "aws-sigv4"
        ),
        (
            "There is no file of options: profiles bind settings to URLs (httpc help profiles).",
            "config disable"
        ),
        ("Use the shell's variables: \"$NAME\" in any option's value.", "variable"),
        ("Leave it out: redirects are followed by default.", "follow"),
        ("Use the shell's test, such as [ -e FILE ] ||.", "skip-existing"),
        ("Use -o /dev/null.", "out-null"),
        ("Leave it out: packets are not marked.", "ip-tos vlan-priority"),
        ("Leave it out: the system's authorities are trusted by default.", "ca-native proxy-ca-native"),
        ("Leave it out: the PROXY protocol is not spoken.", "haproxy-clientip"),
        ("Leave it out: the server's name is not encrypted.", "ech"),
        ("Leave it out: a progress bar is there by default on a terminal.", "progress-bar styled-output"),
        ("Use -s -S.", "no-progress-meter"), ("Use the shell's 2>.", "stderr"),
        ("Use -G with --data-urlencode.", "url-query"), ("Name the URL without it.", "url"),
        ("Use -d.", "data-ascii"),
        (
            "Use -U with -x: what the proxy offers is answered. The login is never sent before the proxy asks.",
            "proxy-basic proxy-digest proxy-anyauth"
        ),
        (
            "Use -x http://HOST:PORT; https goes through a tunnel by itself.",
            "proxytunnel proxy1.0 suppress-connect-headers"
        ),
        ("Use -x socks5h://HOST:PORT, or socks5://.", "socks5 socks5-hostname socks5-basic"),
        ("Use -x with a SOCKS5 or an HTTP proxy: SOCKS4 is not supported.", "socks4 socks4a"),
        ("Use -x with one proxy: there are no chains of them.", "preproxy"),
        (
            "The options for proxies are -x, -U, --noproxy and --proxy-cacert.",
            "proxy-capath proxy-cert proxy-cert-type proxy-crlfile proxy-header proxy-insecure proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-tlsauthtype proxy-tlspassword proxy-tlsuser haproxy-protocol"
        ),
        ("Use --resolve.", "connect-to dns-servers dns-interface dns-ipv4-addr dns-ipv6-addr"),
        ("The system resolves names; --resolve gives addresses by hand.", "doh-url doh-insecure doh-cert-status"),
        (
            "The system decides about it.",
            "interface local-port tcp-fastopen tcp-nodelay keepalive-time no-keepalive happy-eyeballs-timeout-ms abstract-unix-socket random-file egd-file engine"
        ),
        ("Use -m and --connect-timeout.", "speed-limit speed-time"),
        (
            "Use --http2, which is the default over https; over http it is HTTP/1.1.",
            "http2-prior-knowledge http3 http3-only"
        ),
        ("Use --http1.1, which is the default over http.", "http1.0 http0.9"),
        ("Use --retry, which tries that again where it is safe.", "retry-connrefused retry-all-errors"),
        ("Use --limit-rate, or sleep between calls.", "rate"),
        ("Use one call of httpc for each: one line has one set of secrets.", "next"),
        ("Leave it out: a URL is taken as it is, and a shell has loops and braces.", "globoff"),
        ("Make the directory before: one that was mistyped is an error.", "create-dirs ftp-create-dirs"),
        ("Use the shell's umask.", "create-file-mode"),
        ("Leave it out: with -J no file that is there is replaced; --clobber lets it.", "no-clobber"),
        ("Leave it out: a file is there when it is complete, or not at all.", "remove-on-error"),
        ("Use -C -, which compares tags by itself, or -H 'If-None-Match: …'.", "etag-save etag-compare"),
        ("Use -H 'If-Modified-Since: …'.", "time-cond"), ("Use touch: dates of files are not set.", "remote-time"),
        ("Use -v, -vv, --trace FILE.html or --har FILE.", "trace-ascii trace-config trace-ids trace-time libcurl"),
        ("Use httpc help, or man httpc.", "manual"),
        (
            "Leave it out: redirects, targets and schemes are as the RFCs have them.",
            "post301 post302 post303 request-target proto proto-redir proto-default ignore-content-length disallow-username-in-url"
        ),
        ("Leave it out: a path is sent as it is typed, with /./ and /../ in it.", "path-as-is"),
        ("Leave it out: with several URLs the exit status is that of the first that failed.", "fail-early"),
        ("Leave it out: -Z starts as many as --parallel-max says.", "parallel-immediate"),
        ("Use --no-compressed for the body as it is sent.", "raw tr-encoding"),
        ("Leave it out: line ends are sent as they are.", "crlf use-ascii"),
        ("Leave it out: names in forms are escaped as browsers do.", "form-escape"),
        ("Use -b with a file that has none.", "junk-session-cookies"),
        ("Use https:// in the URL: HSTS and Alt-Svc are not kept between calls.", "hsts alt-svc"),
        (
            "Use --cacert, --capath or --pinnedpubkey: lists of revoked certificates are not read.",
            "crlfile cert-status"
        ),
        ("Leave it out: the key's file says of what kind it is.", "key-type"),
        ("Use a client certificate (--cert): TLS-SRP is not supported.", "tlsauthtype tlspassword tlsuser"),
        ("File systems' attributes are not written.", "xattr"),
        (
            "httpc speaks http and https only.",
            "append compressed-ssh disable-eprt disable-epsv ftp-account ftp-alternative-to-user ftp-method ftp-pasv ftp-port ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control hostpubmd5 hostpubsha256 list-only login-options mail-auth mail-from mail-rcpt mail-rcpt-allowfails metalink pubkey quote sasl-authzid sasl-ir ssl ssl-reqd telnet-option tftp-blksize tftp-no-options"
        ),
    ]
}
