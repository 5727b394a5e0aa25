import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import TestSupport
import Testing

@testable import HttpConvWebStrategies

/// A person at a pseudo-terminal.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TerminalPrompterTests {
    @Test func passwordsHaveNoEcho() async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        async let entered = prompter.enter("Password", for: Self.origin(), prefilled: "", isSecret: true)
        try await terminal.waitFor("Password: ")
        #expect(!terminal.hasEcho)
        try terminal.type("geheim-canary\n")
        #expect(try await entered.value == "geheim-canary")
        #expect(terminal.hasEcho && terminal.raisesSignals)
        async let shown = prompter.enter("User", for: Self.origin(), prefilled: "bob", isSecret: false)
        try await terminal.waitFor("User [bob]: ")
        #expect(terminal.hasEcho)
        try terminal.type("alice\n")
        #expect(try await shown.value == "alice")
        try await terminal.waitFor("alice")
        #expect(!terminal.output.contains("canary"))
    }

    /// Also on a terminal that does not know the charset of its characters.
    @Test(arguments: [true, false]) func backspaceRemovesACharacter(isSecret: Bool) async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        async let entered = prompter.enter("Password", for: Self.origin(), prefilled: "", isSecret: isSecret)
        try await terminal.waitFor("Password: ")
        try terminal.type("pä\u{7F}€\u{7F}a\n")
        #expect(try await entered.value == "pa")
    }

    /// Ctrl-C, Ctrl-D, and Ctrl-C after some input.
    @Test(arguments: ["\u{3}", "\u{4}", "half\u{3}"]) func echoComesBackWhenThePersonGivesUp(typed: String) async throws
    {
        let terminal = try PseudoTerminal()
        let interrupts = Counter()
        let prompter = TerminalPrompter(path: terminal.path) { interrupts.add() }
        let entered = Task { try await prompter.enter("Password", for: Self.origin(), prefilled: "", isSecret: true) }
        try await terminal.waitFor("Password: ")
        #expect(!terminal.hasEcho)
        try terminal.type(typed)
        let error = await #expect(throws: WebLoginError.self) { _ = try await entered.value }
        #expect(error?.code == .cancelled)
        #expect(terminal.hasEcho && terminal.raisesSignals)
        #expect(interrupts.value == (typed == "\u{4}" ? 0 : 1))
    }

    @Test func echoComesBackWhenTheTaskIsCancelled() async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        let task = Task { try await prompter.enter("Password", for: Self.origin(), prefilled: "", isSecret: true) }
        try await terminal.waitFor("Password: ")
        #expect(!terminal.hasEcho)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(terminal.hasEcho)
    }

    /// The restore that a program does before it exits, while the question still runs.
    @Test func echoCanBeGivenBackAtOnce() async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        let task = Task { try await prompter.enter("Password", for: Self.origin(), prefilled: "", isSecret: true) }
        try await terminal.waitFor("Password: ")
        #expect(!terminal.hasEcho)
        TerminalPrompter.restoreTerminal()
        #expect(terminal.hasEcho)
        task.cancel()
        _ = await task.result
    }

    @Test func choices() async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        async let one = prompter.choose(
            "Domain", for: Self.origin(), from: ["a", "b"], selected: [1], allowsSeveral: false)
        try await terminal.waitFor("Number [2]: ")
        try terminal.type("7\n")
        try await terminal.waitFor("from 1 to 2")
        try terminal.type("1\n")
        #expect(try await one == [0])
        async let several = prompter.choose(
            "Roles", for: Self.origin(), from: ["a", "b", "c"], selected: [0], allowsSeveral: true)
        try await terminal.waitFor("none [1]: ")
        try terminal.type("2, 3\n")
        #expect(try await several == [1, 2])
        async let sure = prompter.confirm("Sure?")
        try await terminal.waitFor("Sure? (yes/no): ")
        try terminal.type("maybe\n")
        try await terminal.waitFor("answer yes or no")
        try terminal.type(" Y \n")
        #expect(try await sure)
    }

    private static func origin() throws -> Origin { try Origin(scheme: .https, host: "idp.example") }

    /// The asking origin is shown first, whatever a page calls its fields and options.
    @Test func whoAsksComesFirst() async throws {
        let label = "Asked by https://bank.example: PIN"
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        async let entered = prompter.enter(label, for: Self.origin(), prefilled: "x", isSecret: false)
        try await terminal.waitFor("[x]: ")
        #expect(terminal.output == "  Asked by https://idp.example: \(label) [x]: ")
        try terminal.type("\n")
        _ = try await entered
        let start = terminal.output.count
        async let chosen = prompter.choose(
            label, for: Self.origin(), from: [label], selected: [0], allowsSeveral: false)
        try await terminal.waitFor("Number [1]: ")
        #expect(
            terminal.output.dropFirst(start).replacing("\r\n", with: "\n")
                == "  Asked by https://idp.example: \(label):\n   *1  \(label)\n  Asked by https://idp.example: Number [1]: "
        )
        try terminal.type("\n")
        _ = try await chosen
    }

    @Test func ourOwnWordsComeFirst() async throws {
        let terminal = try PseudoTerminal()
        try await TerminalPrompter(path: terminal.path).show(
            FormPage(
                purpose: .saml2, origin: try Origin(scheme: .http, host: "idp.example"), title: "T", alert: "",
                text: "Welcome"))
        try await terminal.waitFor("Welcome")
        #expect(
            terminal.output.hasPrefix("\r\nSAML2 login: a page of http://idp.example (not encrypted)\r\n  Title: T\r\n")
        )
    }

    @Test func aPageThatAsksAgainSaysSo() async throws {
        let terminal = try PseudoTerminal()
        for alert in ["", "Wrong password."] {
            var page = FormPage(
                purpose: .saml2, origin: try Origin(scheme: .https, host: "idp.example"), title: "T", alert: alert,
                text: "Welcome")
            page.isAgain = true
            try await TerminalPrompter(path: terminal.path).show(page)
        }
        try await terminal.waitFor("Wrong password.")
        let page =
            "\r\nSAML2 login: a page of https://idp.example\r\n  Title: T\r\n  Not accepted: the page asks again.\r\n"
        #expect(terminal.output == page + page + "  It says: Wrong password.\r\n")
    }

    /// A person who has stopped the terminal with Ctrl-S.
    @Test func aStoppedTerminalHoldsNothingUp() async throws {
        let terminal = try PseudoTerminal()
        let prompter = TerminalPrompter(path: terminal.path)
        try terminal.stop(true)
        let tasks = (0..<4).map { _ in Task { try await prompter.confirm("Sure?") } }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(terminal.output.isEmpty)
        try terminal.stop(false)
        async let sure = prompter.confirm("Really?")
        try await terminal.waitFor("Really?")
        try terminal.type("yes\n")
        #expect(try await sure)
    }

    @Test func noTerminalIsAnError() async throws {
        let error = await #expect(throws: WebLoginError.self) {
            try await TerminalPrompter(path: "/dev/does-not-exist").confirm("?")
        }
        #expect(error?.code == .noStrategy)
    }
}
