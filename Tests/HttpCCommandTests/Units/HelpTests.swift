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
            (["--version"], 0, HttpcMain.version),
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

    @Test(arguments: [
        (WebLoginError.Code.answersNotAllowed, "--answer-origin, or in answer-origins in [profiles.work]"),
        (.missingAnswer, "--answer-env NAME=VAR, or in [profiles.work.answers]"),
    ])
    func answers(code: WebLoginError.Code, text: String) {
        #expect(
            FailureAdvice.text(
                WebLoginError(code, "No."), given: GivenSettings(profile: Profile(name: "work"))
            ).contains(text))
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
