import HttpC
import HttpConvLogon
import HttpConvLogonScreens
import MobileServices
import Synchronization
import TestSupport
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// A logon's screens, and a person at a pseudo-terminal.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TerminalLogonViewTests {
    private let terminal: PseudoTerminal

    init() throws { terminal = try PseudoTerminal() }

    private func view(width: Int = 80, isColoured: Bool = false, path: String? = nil) -> TerminalLogonView {
        TerminalLogonView(
            style: TerminalStyle(isColoured: isColoured), spinner: Spinner(),
            terminal: TerminalPrompter(path: path ?? terminal.path), width: width)
    }

    private var shown: String { terminal.output.replacing("\r\n", with: "\n") }

    private static let unlock = LogonScreen(
        .unlock, title: "Unlock com.example.sales",
        fields: [LogonField(.passcode, "Passcode", kind: .secret, isRequired: true)], attemptsLeft: 3,
        actions: [.proceed, .deleteUser, .cancel])

    private static let registration = LogonScreen(
        .registration, title: "Register com.example.sales",
        fields: [
            LogonField(.registration(.serverHost), "Server", isRequired: true),
            LogonField(.registration(.isHTTPS), "Encrypted (https)", kind: .toggle, value: LogonField.on),
            LogonField(.registration(.serverPort), "Port", kind: .number, placeholder: "8081"),
            LogonField(.registration(.serverDomain), "Domain", value: "default"),
            LogonField(.password, "Password", kind: .secret),
        ])

    private static let passcode = LogonScreen(
        .makePasscode, title: "Choose a passcode for com.example.sales",
        message: "It opens what this application keeps on this device.",
        fields: [
            LogonField(.newPasscode, "New passcode", kind: .secret, isRequired: true),
            LogonField(.repeatedPasscode, "Once more", kind: .secret, isRequired: true),
        ], rules: [.minimumLength(8), .digit])

    // MARK: What it looks like, and what is entered

    @Test func unlocking() async throws {
        async let answer = view().show(Self.unlock)
        try await terminal.waitFor("Passcode: ")
        #expect(!terminal.hasEcho)
        try terminal.type("canary\n")
        #expect(try await answer == LogonScreenAnswer(.proceed, [.passcode: "canary"]))
        #expect(terminal.hasEcho && terminal.raisesSignals)
        #expect(
            shown == """

                httpc: Unlock com.example.sales
                  3 tries are left: after that everything is deleted here.
                  Enter alone shows what else can be done. Ctrl-C stops.
                  Passcode: \n
                """)
    }

    @Test func registering() async throws {
        async let answer = view().show(Self.registration)
        for (prompt, typed) in [
            ("Server:            ", "\n"), ("Server:            ", "mobile.example.com\n"), ("[yes] ", "perhaps\n"),
            ("[yes] ", "No\n"), ("[8081] ", "8O8O\n"), ("[8081] ", "444\n"), ("[default] ", "\n"),
            ("Password:          ", "canary\n"),
        ] {
            try await terminal.waitFor(prompt)
            try terminal.type(typed)
        }
        #expect(
            try await answer
                == LogonScreenAnswer(
                    .proceed,
                    [
                        .registration(.serverHost): "mobile.example.com", .registration(.isHTTPS): LogonField.off,
                        .registration(.serverPort): "444", .registration(.serverDomain): "default",
                        .password: "canary",
                    ]))
        #expect(
            shown == """

                httpc: Register com.example.sales
                  Enter keeps what is in brackets. Ctrl-C stops.
                  Server:            \n\
                  Please enter something.
                  Server:            mobile.example.com
                  Encrypted (https): [yes] perhaps
                  Please answer yes or no.
                  Encrypted (https): [yes] No
                  Port:              [8081] 8O8O
                  Please enter a number.
                  Port:              [8081] 444
                  Domain:            [default] \n\
                  Password:          \n
                """)
    }

    @Test func rulesAreTickedOff() async throws {
        async let answer = view().show(Self.passcode)
        try await terminal.waitFor("New passcode: ")
        try terminal.type("canary\n")
        try await terminal.waitFor("choose another")
        try await terminal.waitFor("New passcode: ")
        try terminal.type("canary 42\n")
        try await terminal.waitFor("Once more:    ")
        try terminal.type("canary 43\n")
        #expect(
            try await answer
                == LogonScreenAnswer(.proceed, [.newPasscode: "canary 42", .repeatedPasscode: "canary 43"]))
        #expect(
            shown == """

                httpc: Choose a passcode for com.example.sales
                  It opens what this application keeps on this device.
                    [ ] At least 8 characters
                    [ ] A digit
                  Ctrl-C stops.
                  New passcode: \n\
                    [ ] At least 8 characters
                    [ ] A digit
                  Please choose another passcode.
                  New passcode: \n\
                  Once more:    \n
                """)
    }

    @Test func anotherWay() async throws {
        async let answer = view().show(Self.unlock)
        try await terminal.waitFor("Passcode: ")
        try terminal.type("\n")
        try await terminal.waitFor("   1  Delete everything here and begin anew\r\n   2  Stop\r\n  Number [1]: ")
        try terminal.type("3\n")
        try await terminal.waitFor("from 1 to 2")
        try await terminal.waitFor("Number [1]: ")
        try terminal.type("1\n")
        #expect(try await answer == LogonScreenAnswer(.deleteUser))
    }

    /// Enter alone chooses the usual action, which is listed first.
    @Test(
        arguments: [
            ([.retry, .cancel], "\n", .retry), ([.retry, .cancel], "2\n", .cancel),
            ([.cancel, .deleteUser], "\n", .cancel), ([.proceed, .cancel], "\n", .proceed),
        ] as [([LogonAction], String, LogonAction)])
    func choices(actions: [LogonAction], typed: String, action: LogonAction) async throws {
        async let answer = view().show(LogonScreen(.error, title: "Well", problem: "It went wrong.", actions: actions))
        try await terminal.waitFor("httpc: Well\r\n  It went wrong.\r\n")
        try await terminal.waitFor(actions[0] == .proceed ? "Press Enter" : "Number [1]: ")
        try terminal.type(typed)
        #expect(try await answer == LogonScreenAnswer(action))
    }

    /// The choices and the other actions are one list; only a choice can be the usual answer.
    @Test(
        arguments: [
            ("b", "\n", LogonScreenAnswer(.proceed, [.account: "b"])),
            ("", "\n0\n1\n", LogonScreenAnswer(.proceed, [.account: "a"])),
            ("b", "x\n3\n", LogonScreenAnswer(.addAccount)), ("b", "4\n", .cancelled), ("b", "\u{4}", .cancelled),
        ])
    func choosing(usual: String, typed: String, expected: LogonScreenAnswer) async throws {
        let field = LogonField(
            .account, "Account", kind: .choice, value: usual,
            choices: [LogonField.Choice("a", "Work (alice)"), LogonField.Choice("b", "red\u{1B}[31m")], isRequired: true
        )
        async let answer = view().show(
            LogonScreen(
                .accounts, title: "Accounts on this device", fields: [field],
                actions: [.proceed, .addAccount, .cancel]))
        try await terminal.waitFor(
            "   1  Work (alice)\r\n   2  red\\u{1b}[31m\r\n   3  Add an account\r\n   4  Stop\r\n")
        for line in typed.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
            typed.hasSuffix("\n") ? 1 : 0)
        {
            try await terminal.waitFor(usual.isEmpty ? "  Number: " : "  Number [2]: ")
            try terminal.type(line + (line == "\u{4}" ? "" : "\n"))
        }
        #expect(try await answer == expected)
    }

    // MARK: The end of it

    @Test(arguments: ["\u{3}", "\u{4}", "half\u{3}"], [unlock, registration, passcode])
    func givingUp(typed: String, screen: LogonScreen) async throws {
        async let answer = view().show(screen)
        try await terminal.waitFor(": ")
        try await terminal.waitFor("Ctrl-C stops.")
        try await terminal.waitFor(": ")
        try terminal.type(typed)
        #expect(try await answer == .cancelled)
        #expect(terminal.hasEcho && terminal.raisesSignals)
    }

    @Test func aCancelledTask() async throws {
        let view = view()
        let task = Task { try await view.show(Self.unlock) }
        try await terminal.waitFor("Passcode: ")
        task.cancel()
        #expect(try await task.value == .cancelled)
        #expect(terminal.hasEcho)
        let activity = Task { try await view.show(LogonScreen(.activity, title: "Doing", actions: [.cancel])) }
        activity.cancel()
        #expect(try await activity.value == .cancelled)
    }

    /// Without a terminal the view fails at once, and names the missing input.
    @Test(
        arguments: [
            (unlock, "Unlock com.example.sales: there is no terminal to ask for passcode."),
            (registration, "Register com.example.sales: there is no terminal to ask for server."),
            (
                passcode,
                "Choose a passcode for com.example.sales: there is no terminal to ask for new passcode and once more."
            ),
            (LogonScreen(.error, title: "Well"), "Well: there is no terminal to ask."),
        ]) func withoutATerminal(screen: LogonScreen, message: String) async throws
    {
        let view = view(path: "/dev/does-not-exist")
        let error = await #expect(throws: LogonError.self) { _ = try await view.show(screen) }
        #expect(error?.code == .operationNotAllowed)
        #expect(error?.message == message)
        #expect(try await view.show(LogonScreen(.splash, title: "Hello")) == LogonScreenAnswer(.proceed))
    }

    // MARK: What it is shown on

    /// Text of a server cannot act on the terminal.
    @Test func hostileText() async throws {
        let text = "red\u{1B}[31m\u{9B}2J \u{202E}alert\nhttpc: Passcode: "
        let screen = LogonScreen(.error, title: text, message: text, problem: text, actions: [.retry, .cancel])
        async let answer = view().show(screen)
        try await terminal.waitFor("Number [1]: ")
        try terminal.type("\n")
        _ = try await answer
        #expect(!terminal.output.unicodeScalars.contains { [0x1B, 0x9B, 0x202E].contains($0.value) })
        #expect(!shown.split(separator: "\n").dropFirst().contains { $0.hasPrefix("httpc:") })
        #expect(shown.contains("red\\u{1b}[31m\\u{9b}2J"))
    }

    @Test(arguments: [24, 40, 80, 200]) func fitsIntoTheTerminal(width: Int) {
        let long = String(repeating: "word ", count: 40) + String(repeating: "x", count: 100)
        let text = TerminalLogonText(style: TerminalStyle(isColoured: false), width: width)
        let screen = LogonScreen(
            .makePasscode, title: "A title that is long", message: long, problem: long, fields: Self.passcode.fields,
            rules: [.minimumLength(8), .special], attemptsLeft: 2)
        let lines = text.head(screen)
        #expect(lines.allSatisfy { $0.count <= min(width, 80) })
        #expect(lines.joined().filter { $0 == "x" }.count >= 200, "nothing is lost")
    }

    /// In a narrow terminal, labels are not aligned.
    @Test(arguments: [(80, "  Port:              [8081] "), (24, "  Port: [8081] ")])
    func prompts(width: Int, prompt: String) {
        let text = TerminalLogonText(style: TerminalStyle(isColoured: false), width: width)
        #expect(text.prompt(Self.registration.fields[2], of: Self.registration.fields) == prompt)
    }

    @Test(arguments: [false, true]) func colours(areWanted: Bool) async throws {
        async let answer = view(isColoured: areWanted).show(Self.unlock)
        try await terminal.waitFor("Passcode: ")
        try terminal.type("\u{4}")
        _ = try await answer
        #expect(terminal.output.contains("\u{1B}[1mhttpc: Unlock com.example.sales\u{1B}[0m") == areWanted)
        #expect(terminal.output.contains("\u{1B}") == areWanted)
    }

    /// The spinner is erased before anything is written, and stays away during a question.
    @Test func nothingSpinsInAQuestion() async throws {
        let erased = Mutex(0)
        TerminalDevice.erase { erased.withLock { $0 += 1 } }
        defer { TerminalDevice.erase(by: nil) }
        async let answer = view().show(Self.unlock)
        try await terminal.waitFor("Passcode: ")
        #expect(erased.withLock { $0 } > 0)
        #expect(TerminalDevice.isAsking)
        try terminal.type("1\n")
        _ = try await answer
    }
}
