import HttpC
import HttpConvPlatform
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

@Suite struct ProfileMatchTests {
    /// Security rule S13.
    @Test(arguments: [
        ("https://a.example/work", "https://a.example/work", true),
        ("https://a.example/work", "https://a.example/work/x", true),
        ("https://a.example/work/", "https://a.example/work", true),
        ("https://a.example", "https://a.example/any", true),
        ("https://a.example/work", "https://a.example/workshop", false),
        ("https://a.example/work", "https://a.example/", false),
        ("https://a.example/work", "http://a.example/work", false),
        ("https://a.example/work", "https://a.example:444/work", false),
        ("https://a.example/work", "https://a.example.evil/work", false),
        ("https://a.example/work", "https://b.a.example/work", false),
        ("https://a.example/work", "https://A.EXAMPLE:443/work?x=1", true),
        ("https://a.example/work", "https://a.example/work/../evil", false),
        ("https://a.example/work", "https://a.example/x/../work/y", false),
        ("https://a.example/work", "https://a.example/x/%2e%2e/work/y", false),
        ("https://a.example/work", "https://a.example/x/.%2e/work/y", false),
        ("https://a.example/work", "https://a.example/./work/y", false),
        ("https://a.example/work", "https://a.example/work/./y", false),
        ("https://a.example/work", "https://a.example//work/y", false),
        ("https://a.example/work/y", "https://a.example/work//y", false),
        ("https://a.example/work", "https://a.example/work//y", true),
        ("https://a.example/x/../work", "https://a.example/work/y", true),
        ("https://a.example", "https://a.example/x/../y", true),
        ("https://a.example", "https://a.example//y", true),
        ("https://a.example/work", "https://a.example/work/%2e%2e/evil", false),
        ("https://a.example/work", "https://a.example/work/..%2fevil", false),
        ("https://a.example/work", "https://a.example/work/..%2f%CC%81evil", false),
        ("https://a.example/work", "https://a.example/work/%2e%2e%2f%ff", false),
        ("https://a.example/work", "https://a.example/work/..;/evil", false),
        ("https://a.example/work", "https://a.example/work/..;x=1/evil", false),
        ("https://a.example/work", "https://a.example/work/x%5c..%5c..%5cevil", false),
        ("https://a.example/%ff", "https://a.example/%fe", false),
        ("https://a.example/%C3%A9", "https://a.example/e%CC%81", false),
        ("https://a.example/work", "https://a.example/%77ork", true),
        ("https://a.example/a%20b", "https://a.example/a%20b/c", true),
    ])
    func applies(match: String, url: String, expected: Bool) throws {
        #expect(try ProfileMatch(match).matches(TargetURL(url)) == expected)
    }

    @Test(arguments: [
        "a.example", "ftp://a.example/", "https://u:p@a.example/", "https://a.example/?q", "https://",
        "https://a.example//work", "https://a.example/a//b",
    ])
    func refuses(text: String) {
        #expect(throws: ConversationError.self) { try ProfileMatch(text) }
    }
}

@Suite struct ProfileParserTests {
    private func parse(_ text: String, isPrivate: Bool = true) throws -> [Profile] {
        try ProfileParser(shownPath: "config.toml", directory: "/etc/httpc/", home: "/home/alice", isPrivate: isPrivate)
            .parse(text)
    }

    @Test func readsEveryKey() throws {
        let profiles = try parse(
            """
            [profiles.work]
            match = ["https://sp.example.com/", "https://other.example.com/x"]
            web = "terminal"
            cacert = "ca.pem"
            answer-origins = ["https://idp.example.com"]
            [profiles.work.basic]
            username = "alice"
            password-env = "WORK_PASSWORD"
            [profiles.home]
            cacert = "~/ca.pem"
            """)
        let work = try #require(profiles.first { $0.name == "work" })
        #expect(work.match.count == 2)
        #expect(work.viewer == .terminal)
        #expect(work.caCertificate == "/etc/httpc/ca.pem")
        #expect(work.answerOrigins.map(\.description) == ["https://idp.example.com"])
        #expect(work.basic?.username == "alice")
        guard case .environment("WORK_PASSWORD") = work.basic?.password else {
            Issue.record("the password does not come from the environment")
            return
        }
        #expect(profiles.first { $0.name == "home" }?.caCertificate == "/home/alice/ca.pem")
    }

    @Test(arguments: [
        ("[profiles.a]\nmach = []", "did you mean \"match\""), ("[profile.a]\n", "did you mean \"profiles\""),
        ("[profiles.a.basic]\nusername='a'\npasword='x'", "did you mean \"password\""),
        ("[profiles.a]\nweb = 'firefox'", "chromium"), ("[profiles.a]\nmatch = 'x'", "list of strings"),
        ("[profiles.a]\nmatch = [['x']]", "list of strings"), ("[profiles.a]\nmatch = [1]", "in quotes"),
        ("[profiles.a]\nmatch = ['nonsense']", "match in [profiles.a]"),
        ("[profiles.a]\ncacert = ['x']", "has to be a string"), ("[profiles.a.basic]\n", "no username"),
        ("[profiles.'../a']\n", "profile name"), ("[profiles.a\n", "line 1"),
        ("[profiles.a.basic]\nusername='a'\npassword='x'\npassword-env='Y'", "more than one"),
        ("profiles = 'x'", "has to be a table"), ("[profiles.a]\nanswer-origins=['ftp://x']", "answer-origins"),
    ])
    func namesTheMistake(text: String, message: String) {
        #expect {
            try parse(text)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .usage && failure?.message.contains(message) == true
        }
    }

    @Test func refusesPasswordThatOthersCanRead() throws {
        let text = "[profiles.a.basic]\nusername = 'alice'\npassword = 'canary'"
        #expect(try parse(text).count == 1)
        #expect {
            try parse(text, isPrivate: false)
        } throws: { error in
            let message = (error as? CommandFailure)?.message ?? ""
            return message.contains("chmod 600") && !message.contains("canary")
        }
    }

    /// Every secret may be in each of four places.
    @Test(arguments: [
        ("[profiles.a.basic]\nusername='u'\n", "password"), ("[profiles.a.cert]\nfile='c'\n", "passphrase"),
        ("[profiles.a]\nproxy='http://h'\nproxy-user='u'\n", "proxy-password"),
        (
            "[profiles.a.oauth2]\ntoken-endpoint='https://h/t'\ngrant='client-credentials'\nclient-id='c'\n",
            "client-secret"
        ),
        (
            "[profiles.a.oauth2]\ntoken-endpoint='https://h/t'\ngrant='password'\nclient-id='c'\nusername='u'\n",
            "password"
        ),
        ("[profiles.a.logon]\napplication='x'\n", "passcode"),
    ])
    func placesOfSecrets(table: String, key: String) throws {
        for place in ["-env='V'", "-file='f'", "-command=['pass', 'show', 'idp']", "-keyring='idp'"] {
            #expect(try parse(table + key + place, isPrivate: false).count == 1, "\(key)\(place)")
        }
        for wrong in [
            "-env=''", "-file=''", "-command='pass'", "-command=[]", "-command=['']", "-command=[1]", "-keyring=''",
            "-keyring='a='", "-keyring='=b'", "-keyring=['a']", "-env='V'\n\(key)-keyring='x'", "-program=['x']",
        ] {
            #expect(throws: CommandFailure.self, "\(key)\(wrong)") { try parse(table + key + wrong) }
        }
    }

    @Test func programsOfSecrets() throws {
        func source(_ text: String) throws -> SecretSource? {
            try parse("[profiles.a.basic]\nusername='u'\npassword-\(text)").first?.basic?.password
        }
        for (text, words) in [
            ("command=['pass','show','x']", ["pass", "show", "x"]),
            ("command=['./get','x']", ["/etc/httpc/./get", "x"]),
            ("command=['~/bin/get']", ["/home/alice/bin/get"]), ("command=['/bin/get']", ["/bin/get"]),
        ] {
            guard case .command(words)? = try source(text) else {
                Issue.record("\(text)")
                continue
            }
        }
        guard case .keyring("a=b,c=d")? = try source("keyring='a=b,c=d'") else {
            Issue.record("no key ring")
            return
        }
    }

    /// A file that others can write could make this user run anything.
    @Test func refusesProgramsThatOthersCanWrite() throws {
        let parser = ProfileParser(
            shownPath: "config.toml", directory: "/etc", home: nil, isPrivate: false, isOwn: false)
        for text in [
            "[profiles.a.basic]\nusername='u'\npassword-command=['canary']",
            "[profiles.a.answers]\np={command=['canary']}", "[profiles.a.answers]\np={totp-command=['canary']}",
        ] {
            let failure = try #require(throws: CommandFailure.self) { try parser.parse(text) }
            #expect(failure.message.contains("chmod go-w") && !failure.message.contains("canary"))
        }
        #expect(try parser.parse("[profiles.a.answers]\np={keyring='x'}").count == 1)
    }

    @Test func refusesAConfigurationThatAllUsersCanWrite() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("[profiles.canary]\nmatch=['https://h/']", to: "config.toml")
        for (mode, isRefused) in [(0o644, false), (0o664, false), (0o646, true), (0o602, true)] as [(mode_t, Bool)] {
            #expect(chmod(path, mode) == 0)
            guard isRefused else {
                #expect(try ConfigurationFile.load(path).profiles.count == 1)
                continue
            }
            let failure = try #require(throws: CommandFailure.self) { try ConfigurationFile.load(path) }
            #expect(failure.status == .usage && failure.message.contains("chmod go-w"))
        }
        #expect(try ConfigurationFile.load("/dev/null").profiles.isEmpty)
    }

    /// As root: other users cannot give a file away.
    @Test(.enabled(if: geteuid() == 0)) func refusesAConfigurationOfAnotherUser() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("[profiles.canary]\nmatch=['https://h/']", to: "config.toml")
        #expect(chown(path, 65534, 65534) == 0)
        let failure = try #require(throws: CommandFailure.self) { try ConfigurationFile.load(path) }
        #expect(failure.status == .usage && failure.message.contains("another user"))
        func count(calledBy user: String) throws -> Int? {
            try ConfigurationFile.readAll(path, ["SUDO_UID": user], mayBeMissing: false)?.profiles.count
        }
        #expect(try count(calledBy: "65534") == 1)
        for user in ["65533", "", "-2"] {
            #expect(throws: CommandFailure.self) { try count(calledBy: user) }
        }
    }

    @Test func proxies() throws {
        let profile = try #require(
            try parse(
                "[profiles.a]\nproxy='socks5h://h'\nproxy-user='p'\nproxy-password-file='f'\nno-proxy=['a','b.c']\nproxy-cacert='c'"
            ).first)
        #expect(profile.proxy?.server?.description == "socks5://h:1080" && profile.proxy?.username == "p")
        #expect(profile.proxyBypass == "a,b.c" && profile.proxyAuthority == "/etc/httpc/c")
        let direct = try #require(try parse("[profiles.a]\nproxy=''").first?.proxy)
        #expect(direct.server == nil)
        #expect(try parse("[profiles.a]\nproxy='http://u:canary@h'").count == 1)
        let message =
            (try? #require(throws: CommandFailure.self) {
                try parse("[profiles.a]\nproxy='http://u:canary@h'", isPrivate: false)
            })?.message ?? ""
        #expect(message.contains("chmod 600") && !message.contains("canary"))
        for wrong in [
            "proxy='ftp://h'", "proxy-user='p'", "proxy-password-env='P'", "proxy='h'\nproxy-password-env='P'",
            "proxy=1", "no-proxy='a'", "proxy='h'\nproxy-user='p'\nproxy-password-env='P'\nproxy-password='x'",
        ] {
            #expect(throws: CommandFailure.self, "\(wrong)") { try parse("[profiles.a]\n\(wrong)") }
        }
    }

    @Test func clientCertificate() throws {
        let profile = try #require(
            try parse("[profiles.a.cert]\nfile='alice.p12'\nkey='/k.pem'\ntype='p12'\npassphrase-env='X'").first)
        let file = try #require(profile.certificate)
        #expect(file.path.hasSuffix("/alice.p12"))
        #expect(file.key == "/k.pem")
        #expect(file.format == .pkcs12)
        #expect(file.origins == nil)
        let named = try parse("[profiles.a.cert]\nfile='a.p12'\norigins=['https://idp.example.com/login']").first
        #expect(named?.certificate?.origins?.map(\.description) == ["https://idp.example.com"])
        for wrong in [
            "file='a'\ntype='JKS'", "key='a'", "file='a'\npassphrase-env='A'\npassphrase-file='b'",
            "file='a'\norigins=['ftp://x']",
        ] {
            #expect(throws: CommandFailure.self) { try parse("[profiles.a.cert]\n\(wrong)") }
        }
    }

    @Test(arguments: [
        ("a.p12", "a.p12", nil), ("a.p12:secret", "a.p12", "secret"), ("a:b:c", "a", "b:c"), ("a\\:b:c", "a:b", "c"),
        ("a.p12:", "a.p12", ""),
    ]) func certificateArgument(text: String, path: String, passphrase: String?) {
        let found = CertificateFile.split(text)
        #expect(found.path == path)
        #expect(found.passphrase == passphrase)
    }

    @Test(arguments: [
        ("https://a.example/", "root"), ("https://a.example/x/y", "deep"), ("https://a.example/x/yy", "mid"),
        ("https://b.example/", nil),
    ])
    func longestMatchWins(url: String, name: String?) throws {
        let file = ConfigurationFile(
            profiles: try parse(
                """
                [profiles.mid]
                match = ["https://a.example/x"]
                [profiles.root]
                match = ["https://a.example"]
                [profiles.deep]
                match = ["https://c.example", "https://a.example/x/y"]
                """))
        #expect(try ProfileChoice.choose(nil, for: TargetURL(url), from: file)?.name == name)
    }

    @Test func equalMatchesAreAnError() throws {
        let file = ConfigurationFile(
            profiles: try parse("[profiles.a]\nmatch=['https://a.example']\n[profiles.b]\nmatch=['https://a.example']"))
        #expect(throws: CommandFailure.self) {
            try ProfileChoice.choose(nil, for: TargetURL("https://a.example/"), from: file)
        }
        #expect(try ProfileChoice.choose("b", for: TargetURL("https://a.example/"), from: file)?.name == "b")
        #expect {
            try ProfileChoice.choose("aa", for: TargetURL("https://a.example/"), from: file)
        } throws: { ($0 as? CommandFailure)?.message.contains("Did you mean \"a\"?") == true }
    }

    /// Where there is no profile at all, one cannot be named.
    @Test func theWayToAProfileIsNamed() throws {
        let target = try TargetURL("https://a.example/x?secret")
        let message = { (file: ConfigurationFile) in
            #expect(throws: CommandFailure.self) { try ProfileChoice.chooseLogin(nil, for: target, from: file) }?
                .message
        }
        let none = message(ConfigurationFile())
        #expect(none?.hasSuffix(": run: httpc init 'https://a.example/x?…'") == true, "\(none ?? "")")
        let other = message(ConfigurationFile(profiles: [Profile(name: "a")]))
        #expect(other?.contains("--profile") == true && other?.contains("httpc init") == true, "\(other ?? "")")
        let withoutURL = #expect(throws: CommandFailure.self) {
            try ProfileChoice.chooseLogin(nil, for: nil, from: ConfigurationFile())
        }
        #expect(withoutURL?.message.contains(": httpc help profiles") == true)
    }

    /// The command lines of messages find the profile.
    @Test func commandLinesHaveTheConfiguration() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("[profiles.work]\n[profiles.work.saml2]\n", to: "own file.toml")
        let profile = try #require(try ConfigurationFile.load(path).profile(named: "work"))
        #expect(profile.commandLine("login") == "httpc --config '\(path)' login --profile work")
        #expect(CommandFailure(unwatched: profile).message.hasSuffix("Run: \(profile.commandLine("login"))"))
        #expect(Profile(name: "a").commandLine("login --grant device") == "httpc login --grant device --profile a")
    }

    /// A refused page that links to a login: the profile begins there, without the values of this run.
    @Test(arguments: [
        ("/user/login?destination=/x&token=1", "/user/login"),
        ("https://sso.example/login?rd=https://a.example/x", "https://sso.example/login"),
    ])
    func aProfileStartsAtTheLink(link: String, start: String) throws {
        let target = try TargetURL("https://a.example/x")
        let head = HTTPResponse(status: .forbidden, headerFields: [.contentType: "text/html"])
        let body = Array("<h1>Access denied</h1><a href='\(link)'>Log in</a>".utf8)
        let login = try #require(LoginRecognition(of: target).recognize(page: body, of: head, at: target))
        var draft = ProfileDraft(name: "a")
        draft.add(login)
        #expect(draft.addition == "[profiles.a.web-login]\nstatus = \"403\"\nstart = \"\(start)\"\n")
    }

    /// Two `init` at the same time choose a name before they write.
    @Test func aNameThatWasTakenMeanwhile() async throws {
        let sandbox = try Sandbox()
        let edit = try ConfigurationEdit(sandbox.path("new/config.toml"))
        var draft = ProfileDraft(name: "a")
        draft.set("match", .texts(["https://a.example/"]))
        _ = try await edit.append(draft)
        let text = sandbox.read("new/config.toml")
        let failure = try await #require(throws: CommandFailure.self) { try await edit.append(draft) }
        #expect(failure.message.contains("just written a profile \"a\""), "\(failure.message)")
        #expect(text != nil && sandbox.read("new/config.toml") == text)
    }

    @Test func commandsThatWriteAProfileHaveTheConfiguration() throws {
        let (target, path) = (try TargetURL("https://a.example/x"), "own file.toml")
        let line = "httpc --config 'own file.toml' init https://a.example/x"
        var head = HTTPResponse(status: .found)
        var recognition = LoginRecognition(of: target)
        let provider = try TargetURL("https://idp.example/?SAMLRequest=x")
        let found = recognition.recognize(redirect: head, from: target, to: provider)
        let login = try #require(found)
        #expect(LoginPageAdvice.text(login, profile: nil, in: path).contains("run: \(line)  It asks"))
        #expect(LoginPageAdvice.line(login, in: path).hasSuffix("this logs in: \(line)"))
        head = HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: "Basic realm=\"r\""])
        let text = UnansweredLogin.explain(
            head, from: target, hasCredentials: false, outcomes: ChallengeOutcomes(), in: path)
        #expect(text.hasSuffix("or run: \(line)"), "\(text)")
    }

    /// No profile recognises the redirect of a script, so the line says what to do.
    @Test func theAdviceAboutARedirectByAScript() throws {
        let asked = try TargetURL("https://a.example/x")
        let page = "<script>location='https://idp.example/oauth/authorize?client_id=a&response_type=code'</script>"
        let found = LoginRecognition(of: asked).recognize(
            page: Array(page.utf8), of: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]), at: asked)
        let line = LoginPageAdvice.line(try #require(found), in: nil)
        #expect(line.contains("https://idp.example") && line.contains("X-Requested-With: XMLHttpRequest"), "\(line)")
        #expect(line.contains("It is printed as it came.") && !line.contains("client_id=a"))
    }

    /// Only the URL that was asked for leads to the login, if its server redirects.
    @Test(arguments: [
        ("https://a.example/hub/home?x=1", "'https://a.example/hub/home?…'"),
        ("https://b.example/", "https://a.example/oauth_login"),
    ])
    func theAdviceNamesTheURLThatWasAskedFor(asked: String, named: String) throws {
        let (asked, start) = (try TargetURL(asked), try TargetURL("https://a.example/oauth_login"))
        var recognition = LoginRecognition(of: asked)
        let head = HTTPResponse(status: .found)
        #expect(recognition.recognize(redirect: head, from: asked, to: start) == nil)
        let provider = try TargetURL("https://idp.example/?SAMLRequest=x")
        let found = recognition.recognize(redirect: head, from: start, to: provider)
        let login = try #require(found)
        #expect(LoginPageAdvice.line(login, in: nil).hasSuffix("this logs in: httpc init \(named)"))
        #expect(LoginPageAdvice.line(login, in: nil, hasUser: true).contains("The given password fills in no form."))
        #expect(LoginPageAdvice.text(login, profile: nil, in: nil).contains("run: httpc init \(named)  It asks"))
    }

    /// A session that has ended, at a server that does not say how to log in.
    @Test(arguments: [(false, true), (true, false)]) func aRefusalNamesTheWebLogin(
        isKnown: Bool, isNamed: Bool
    ) throws {
        let target = try TargetURL("https://a.example/api")
        var profile = Profile(name: "a")
        profile.match = [ProfileMatch(origin: target.origin)]
        var login = WebLoginTable()
        login.hasPasswordForm = true
        if isKnown { login.statuses = [401] }
        profile.webLogin = login
        let text = UnansweredLogin.explain(
            HTTPResponse(status: .unauthorized), from: target, hasCredentials: false, profile: profile,
            outcomes: ChallengeOutcomes())
        #expect(text.contains("httpc login --profile a") == isNamed, "\(text)")
        #expect(text.contains("status = \"401\"") == isNamed, "\(text)")
        // A login of the profile asks for its first URL, so it would end in the same way.
        let first = UnansweredLogin.explain(
            HTTPResponse(status: .unauthorized), from: try #require(profile.firstURL), hasCredentials: false,
            profile: profile, outcomes: ChallengeOutcomes())
        #expect(!first.contains("httpc login") && first.contains("status = \"401\"") == isNamed, "\(first)")
    }

    @Test(arguments: ["Basic realm=\"r\"", "Bearer"]) func anUnansweredLoginNamesTheNextStep(challenge: String) throws {
        var head = HTTPResponse(status: .unauthorized)
        head.headerFields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        let text = UnansweredLogin.explain(
            head, from: try TargetURL("https://a.example/x"), hasCredentials: false, outcomes: ChallengeOutcomes())
        #expect(text.hasSuffix(", or run: httpc init https://a.example/x"), "\(text)")
    }

    @Test func relativeDirectoriesAreIgnored() {
        let relative = Directories(["XDG_CONFIG_HOME": "x", "XDG_STATE_HOME": "./y", "HOME": "/home/a"])
        #expect(relative.configurationFile == "/home/a/.config/httpc/config.toml")
        #expect(relative.state == "/home/a/.local/state/httpc")
        #expect(Directories(["XDG_STATE_HOME": "/s"]).state == "/s/httpc")
        #expect(Directories([:]).state == nil)
    }
}

@Suite struct EditDistanceTests {
    @Test(arguments: [("match", "mach", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("same", "same", 0)])
    func counts(left: String, right: String, distance: Int) {
        #expect(EditDistance.distance(left, right) == distance)
        #expect(EditDistance.distance(right, left) == distance)
    }
}
