import ArgumentParser
import Foundation
import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct HelpTests {
    private static let names = HttpcMain.configuration.subcommands.compactMap { $0.configuration.commandName }

    @Test func theScreenIsOneScreen() {
        let lines = HelpScreen.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 23 && lines.allSatisfy { $0.count < 80 })
    }

    /// Every option on the screen exists, and the screen names every command and topic.
    @Test func theScreenIsRight() {
        let options = RequestCommand.helpMessage().matches(of: /--?[A-Za-z][a-z0-9.-]*/).map { String($0.output) }
        let shown = HelpScreen.text.matches(of: /(?:^|[ \n])(--?[A-Za-z][a-z0-9.-]*)/).map { String($0.1) }
        #expect(shown.count > 20 && Set(shown).isSubset(of: options), "\(Set(shown).subtracting(options))")
        let words = Set(HelpScreen.text.split { !$0.isLetter && $0 != "-" }.map { String($0) })
        #expect(words.isSuperset(of: Self.names + HelpTopic.allCases.map(\.rawValue)))
    }

    /// The URL and the name of a profile have another meaning where the profile is new, or the application registers.
    @Test func helpOfInitAndLogonSaysWhatTheirURLIs() throws {
        let (new, logon) = (InitCommand.helpMessage(columns: 200), LogonCommand.helpMessage(columns: 200))
        #expect(new.contains("init [<options>] <URL>"), "\(new)")
        #expect(new.contains("The URL to log in to.") && new.contains("The name of the new profile"))
        #expect(!new.contains("--profile can name it") && !new.contains("longest match"))
        #expect(logon.contains("The server where the application registers; --profile can name it."))
        #expect(logon.contains("The profile, rather than the longest match of the URL."))
        #expect(throws: (any Error).self) { try InitCommand.parse(["--yes"]) }
        let options = try LogonCommand.parse(["https://m.example/", "--profile", "field", "-v"]).options
        #expect(options.url == "https://m.example/" && options.profile == "field" && options.verbose == 1)
    }

    @Test(arguments: HelpTopic.allCases) func topicsFitATerminal(topic: HelpTopic) {
        #expect(topic.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(
        arguments: [
            ("login", "login"), ("-v login --profile a", "login --profile a -v"), ("-o login https://h/", nil),
            ("-solanding https://h/", nil), ("https://login/", nil), ("-- login", nil),
            ("--config c login u", "login u --config c"),
            ("-s odata u Products -- x", "odata u Products -s -- x"), ("-u demo h", nil),
            ("--headless help", "help --headless"),
            ("example.com", nil), ("-X login demo", "demo -X login"), ("login.example.com", nil), ("-", nil),
        ] as [(String, String?)])
    func commandsAreFoundWhereverOptionsStand(line: String, found: String?) {
        let words = ShortOptions.separated(line.split(separator: " ").map { String($0) })
        let expected = found.map { CommandWord.Kind.command($0.split(separator: " ").map { String($0) }) } ?? .none
        #expect(CommandWord.find(in: words, among: Self.names + ["help"]) == expected)
    }

    @Test(
        arguments: [
            ("logn", "login"), ("lgoin", "login"), ("-v tokns", "tokens"), ("certificats list", "certificates"),
            ("intranet", nil), ("localhost", nil), ("loki", nil), ("logn.example", nil), ("logn:80", nil),
            ("logn/", nil),
            ("server", nil), ("LOGN", nil), ("", nil),
        ] as [(String, String?)])
    func closeWordsAreMistakes(line: String, meant: String?) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        let expected = meant.map { CommandWord.Kind.mistyped($0) } ?? .none
        #expect(CommandWord.find(in: words, among: Self.names) == expected)
    }

    @Test(
        arguments: [
            ("mach", "match"), ("pasword", "password"), ("finish-point", "finish-endpoint"), ("wrk", "work"),
            ("colour", nil), ("xy", nil), ("user", nil),
        ] as [(String, String?)])
    func suggestionsAreClose(name: String, nearest: String?) {
        let names = ["match", "password", "finish-endpoint", "work", "username", "cacert", "proxy"]
        #expect(EditDistance.nearest(to: name, in: names) == nearest)
    }

    /// The source of the install script's man page and completions.
    @Test func theWholeGrammarHasRequestAndCommands() {
        let error = #expect(throws: (any Error).self) {
            try WholeCommand.parseAsRoot(["--generate-completion-script", "bash"])
        }
        let script = error.map { WholeCommand.fullMessage(for: $0) } ?? ""
        for word in Self.names + ["--cacert", "--grant"] { #expect(script.contains(word), "\(word)") }
    }

    @Test(
        arguments: [
            (["help"], 0, "Usage: httpc [options] URL"), (["--help"], 0, "More: httpc help"),
            (["help", "options"], 0, "--max-time"), (["help", "exit-codes"], 0, "67"),
            (["help", "login"], 0, "--grant"),
            (["help", "cookies", "list"], 0, "httpc cookies list"), (["help", "profils"], 2, "httpc help profiles?"),
            (["login", "--help"], 0, "--grant"), (["-s", "logn"], 2, "Did you mean httpc login?"),
            (["-V"], 0, HttpcMain.version), (["--version"], 0, HttpcMain.version),
            (["--config", "/nowhere.toml", "--access-token", "tokens"], 2, "/nowhere.toml"),
        ] as [([String], Int32, String)])
    func says(arguments: [String], status: Int32, text: String) async throws {
        let outcome = try await Sandbox().httpc(arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        let said = status == 0 ? outcome.text : outcome.errors
        #expect(said.contains(text), "\(said)")
    }
}

@Suite struct FailureAdviceTests {
    private func untrusted(_ problem: ServerTrust.Problem) throws -> ConversationError {
        ServerTrust(certificates: [], summary: nil, problems: [problem])
            .failure(at: try TargetURL("https://example.com/").origin)
    }

    @Test func certificates() throws {
        let text = CommandFailure(
            try untrusted(.unknownIssuer), given: GivenSettings(profile: Profile(name: "work"))
        ).message
        #expect(text.hasSuffix("A private authority is trusted by --cacert FILE, or by cacert in [profiles.work]."))
        #expect(!CommandFailure(try untrusted(.expired), given: GivenSettings()).message.contains("--cacert"))
        let wanted = CommandFailure(
            ConversationError(.clientCertificateRequired, "There is none."), given: GivenSettings())
        #expect(wanted.message.contains("--cert FILE") && wanted.message.contains("--cert-origin"))
    }

    /// The relay has a limit of its own.
    @Test(arguments: [true, false]) func silence(isExtended: Bool) {
        var settings = ConnectionSettings()
        if isExtended { settings.silence = .seconds(60) }
        let given = GivenSettings(nil, settings)
        let idle = ConversationError(.timedOut, "h made no progress for 60.0 seconds (idle timeout).")
        #expect(CommandFailure(idle, given: given).message.contains(" -m ") == isExtended)
        let other = ConversationError(.timedOut, "Connecting took longer than 10.0 seconds (connect timeout).")
        #expect(!CommandFailure(other, given: given).message.contains(" -m "))
    }

    /// Messages name options, not the library's Swift API.
    @Test(arguments: [
        "The proxy p wants a login, and there is none for it: give the proxy a user name and password (ProxyServer.login), or add a UsernamePasswordProvider that serves it.",
        "It wants a login, and there is none for it: give it a user name and password (ProxyServer.login)",
        "The head is larger than the limit (maximumHeadBytes of the transport's configuration).",
        "It asked for more than 5 steps in a row (maximumAttempts).",
    ])
    func swiftNamesAreLeftOut(text: String) {
        let message = CommandFailure(ConversationError(.proxyRefused, text), given: GivenSettings()).message
        for name in ["ProxyServer", "Provider", "maximum", "()"] { #expect(!message.contains(name), "\(message)") }
        #expect(message.contains("--proxy-user"))
    }

    @Test func aProxyThatAskedForNoLoginNeedsNone() {
        let error = ConversationError(.proxyRefused, "The proxy p made no tunnel to h:443: it answered 503.")
        let message = CommandFailure(error, given: GivenSettings()).message
        #expect(!message.contains("--proxy-user") && message.contains("--noproxy"), "\(message)")
    }

    @Test func anErrorOfTheLibraryIsTranslated() throws {
        let error = #expect(throws: ConversationError.self) {
            _ = try ConversationRequest(
                method: .get, target: try TargetURL("https://example.com/"),
                headerFields: [.proxyAuthorization: "Basic eA=="])
        }
        let message = CommandFailure(try #require(error)).message
        #expect(message.hasSuffix("use --proxy-user."), "\(message)")
    }

    @Test(arguments: [
        (WebLoginError.Code.answersNotAllowed, "--answer-origin, or in answer-origins in [profiles.work]"),
        (.missingAnswer, "--web terminal, or --web chromium"),
    ])
    func answers(code: WebLoginError.Code, text: String) {
        #expect(
            FailureAdvice.text(
                WebLoginError(code, "No."), given: GivenSettings(profile: Profile(name: "work"))
            ).contains(text))
    }
}

@Suite struct DiagnosticsTests {
    /// -sS shows failures and nothing else, as with curl.
    @Test func noticesAreLeftOut() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let diagnostics = Diagnostics(
                isSilent: false, omitsNotices: true, style: TerminalStyle(isColoured: false), progress: nil)
            diagnostics.notice("a retry")
            diagnostics.message("a failure")
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("httpc: a failure\n") && !text.contains("a retry"), "\(text)")
    }
}

@Suite struct InstalledSuffixListTests {
    /// The list is beside the file that a link leads to, in any place.
    @Test func isBesideTheCommand() throws {
        let sandbox = try Sandbox()
        try sandbox.write("", to: "opt/bin/httpc")
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path("httpc"), withDestinationPath: sandbox.path("opt/bin/httpc"))
        let file = PublicSuffixList.file(of: URL(filePath: sandbox.path("httpc")))
        let expected = URL(filePath: sandbox.path("opt")).resolvingSymlinksInPath()
        #expect(file?.path == expected.appending(path: "share/httpc/public_suffix_list.dat").path)
        #expect(PublicSuffixList.file(of: nil) == nil)
    }
}

@Suite struct UsageMessageTests {
    private func text(_ line: String, _ message: String, usage: String) -> String {
        UsageMessage(
            message, fullText: "Error: \(message)\nUsage: \(usage)", line.split(separator: " ").map { String($0) }
        ).harmlessMessage
    }

    /// An option of another command is named, and its value is not taken for a URL.
    @Test(arguments: [
        ("--grant device https://h/", "A request has no --grant, which other commands of httpc have."),
        ("-s https://h/ --match=x y", "A request has no --match, which other commands of httpc have."),
        ("-m 3 --compressed --http1.1 -o --grant x y", "There are more arguments than one URL takes"),
        ("https://h/ -- --grant", "There are more arguments than one URL takes"),
    ])
    func optionsOfOtherCommands(line: String, expected: String) {
        let said = text(line, RequestCommand.tooManyArguments, usage: "httpc [options] URL ...")
        #expect(said.hasPrefix(expected), "\(said)")
    }

    /// Only options and commands that would be taken are suggested.
    @Test func suggestionsAreOfTheCommand() {
        let request = "httpc [options] URL ..."
        #expect(text("--totp x h", "Unknown option '--totp'", usage: request) == "Unknown option --totp.")
        #expect(
            text("--haed h", "Unknown option '--haed'", usage: request) == "Unknown option --haed. Did you mean --head?"
        )
        let login = text(
            "login --answer-command x", "Unknown option '--answer-command'", usage: "httpc login [<options>] [<URL>]")
        #expect(login == "Unknown option --answer-command.")
        let config = text("config chek", "Unexpected argument 'chek'", usage: "httpc config <subcommand>")
        #expect(config == "There are more arguments than httpc takes here. Did you mean httpc config check?")
        let url = text("status a b", "Unexpected argument 'b'", usage: "httpc status [<options>] [<URL>]")
        #expect(url.hasSuffix("Quote what has spaces or an & in it."))
    }
}
