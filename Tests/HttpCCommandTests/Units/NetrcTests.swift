import Foundation
import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCCommand
@testable import HttpCTerminal

@Suite(.timeLimit(.minutes(1))) struct NetrcTests {
    private func file(_ text: String) throws -> NetrcFile {
        NetrcFile(entries: try NetrcParser.parse(Array(text.utf8), shownPath: "f"))
    }

    @Test(
        arguments: [
            ("machine h login a password p", "a:p"), ("machine h\n\tlogin a\r\n\tpassword p\r\n", "a:p"),
            ("\u{FEFF}machine h login a password p", "a:p"),
            ("MACHINE H. Login a PASSWORD p", "a:p"), ("machine h password p account x login a", "a:p"),
            (#"machine h login "a b" password "p\"\\ #q""#, #"a b:p"\ #q"#), ("machine h login a password \"\"", "a:"),
            ("# machine h login x password y\nmachine h login a password #p", "a:#p"),
            ("  # x\nmachine h # login\n login a password p", nil),
            ("machine i login x password y machine h login a password p", "a:p"),
            ("machine h login a password p login b password q", "a:p"),
            ("machine h login a machine h login b password q", "b:q"), ("default login d password e", "d:e"),
            ("default login d password e\nmachine h login a password p", "a:p"),
            ("machine h\ndefault login d password e", nil), ("machine h.example login a password p", nil),
            ("machine h:80 login a password p", nil), ("machine xh login a password p", nil),
            ("macdef init\nmachine h login x password y\n\nmachine h login a password p", "a:p"),
            ("macdef init\r\ncd /\r\n\r\nmachine h login a password p", "a:p"), ("macdef init\nlogin x", nil),
            ("", nil), ("machine h login caf\u{e9} password p", "caf\u{e9}:p"),
        ] as [(String, String?)])
    func logins(text: String, expected: String?) throws {
        let found = (try? file(text))?.user(for: "h", allowsDefault: true)
        #expect(found.map { "\($0.name):\($0.password?.value ?? "-")" } == expected)
    }

    /// An error names its line, and nothing else of the file.
    @Test(
        arguments: [
            ("machine h\nlogin", 2), ("secret", 1), ("\nmachine h login a pasword secret", 2), ("login a", 1),
            ("machine h password \"secret", 1), ("machine h password \"secret\"x", 1),
            ("machine h password \"a\\nb\"", 1),
            ("machine h\npassword \"secret\nlogin\"", 2), ("machine h password a\u{1b}[31m", 1), ("machine", 1),
            ("macdef", 1), ("machine h password a\0b", 1),
        ])
    func mistakes(text: String, line: Int) {
        #expect { try file(text) } throws: {
            let failure = $0 as? CommandFailure
            return failure?.status == .inputFailed && failure?.message.contains("line \(line) ") == true
                && failure?.message.contains("secret") == false
        }
    }

    @Test func aUserOfTheURLFindsItsPassword() throws {
        let netrc = try file("machine h login a password p machine h login b password q default login c password r")
        #expect(try netrc.user(of: URLArgument("http://h/"))?.name == "a")
        #expect(try netrc.user(of: URLArgument("http://b@h/"))?.password?.value == "q")
        #expect(try netrc.user(of: URLArgument("http://c@h/")) == nil)
        #expect(try netrc.user(of: URLArgument("http://b:own@h/")) == nil)
        #expect(try netrc.user(of: URLArgument("http://i/"))?.name == "c")
    }

    /// Security rule S7: the file has neither ports nor schemes.
    @Test(
        arguments: [
            ("http://h.example/to?http://h.example/x", true, ["a"]),
            ("http://h.example/to?https://h.example:8443/x", true, ["a"]),
            ("http://h.example/to?http://h.example:8080/x", true, []),
            ("http://h.example/to?http://i.example/", true, []),
            ("http://h.example/to?https://i.example/", true, ["b"]),
            ("http://h.example/to?https://i.example/", false, []),
            ("http://h.example/to?https://sub.i.example/", true, []),
            ("http://h.example/to?https://j.example/", true, []),
            ("http://h.example/to?http://localhost/", true, []), ("http://j.example/", true, ["d"]),
        ] as [(String, Bool, [String])])
    func whoGetsThem(url: String, checks: Bool, expected: [String]) async throws {
        let netrc = try file(
            """
            machine h.example login a password p
            machine i.example login b password q
            machine localhost login l password q
            default login d password e
            """)
        let typed = try URLArgument(url)
        let provider = NetrcProvider(
            file: netrc, user: netrc.user(of: typed), named: [typed.target.origin], checksCertificates: checks,
            outcomes: ChallengeOutcomes())
        let transport = ChallengingTransport()
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        configuration.apply(configurator)
        configuration.redirects.allowsDowngrade = true
        _ = try await HttpConversationManager(transport: transport, configuration: configuration).data(
            for: HTTPRequest(.get, url))
        #expect(!transport.asked.isEmpty)
        #expect(transport.users == expected)
    }

    @Test func onlyItsOwnersFileIsRead() throws {
        let sandbox = try Sandbox()
        let text = "machine h login a password secret"
        func load(_ arguments: String...) throws -> NetrcFile? {
            let options = try RequestCommand.parse(arguments + ["http://h/"]).login
            return try options.netrcLogins(environment: ["HOME": sandbox.path("")])
        }
        func fails(_ arguments: String..., why: String) {
            #expect {
                let options = try RequestCommand.parse(arguments + ["http://h/"]).login
                _ = try options.netrcLogins(environment: ["HOME": sandbox.path("")])
            } throws: {
                let failure = $0 as? CommandFailure
                return failure?.status == .inputFailed && failure?.message.contains(why) == true
            }
        }
        #expect(try load() == nil)
        fails("-n", why: "No such file")
        #expect(try load("--netrc-optional") == nil)
        let path = try sandbox.write(text, to: ".netrc")
        #expect(try load("-n")?.entries.count == 1)
        #expect(try load("--netrc-optional")?.entries.count == 1)
        #expect(try load("-n", "-u", "b:x") == nil)
        for mode in [0o640, 0o604, 0o660] {
            try sandbox.write(text, to: ".netrc", mode: mode)
            fails("-n", why: "chmod 600")
            fails("--netrc-optional", why: "chmod 600")
        }
        try sandbox.write(String(repeating: "#", count: (128 << 10) + 1), to: "huge")
        fails("--netrc-file", sandbox.path("huge"), why: "128 KiB")
        fails("--netrc-file", "/dev/zero", why: "not a file")
        fails("--netrc-file", sandbox.path(""), why: "not a file")
        try sandbox.write(text, to: "own")
        #expect(symlink(sandbox.path("own"), sandbox.path("link")) == 0)
        #expect(try load("--netrc-file", sandbox.path("link"))?.entries.count == 1)
        // A pipe without a writer does not block.
        #expect(mkfifo(sandbox.path("pipe"), 0o600) == 0)
        #expect(try load("--netrc-file", sandbox.path("pipe"))?.entries.isEmpty == true)
        if geteuid() == 0 {
            #expect(chown(path, 65534, 65534) == 0 && chmod(path, 0o600) == 0)
            fails("-n", why: "another user")
        }
    }
}
