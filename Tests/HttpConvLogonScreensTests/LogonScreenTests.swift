import HttpConvLogon
import HttpConvLogonScreens
import HttpConvVault
import Testing

/// The texts and fields of screens.
@Suite struct LogonScreenTests {
    /// A peer's text in a screen cannot control the display.
    @Test func textsAreSanitised() {
        let hostile = "red\u{1B}[31m\u{9B}2J \u{202E}alert\nline"
        let screen = LogonScreen(
            .error, title: hostile, message: hostile, problem: hostile,
            fields: [LogonField(.emailAddress, hostile, value: hostile, placeholder: hostile)])
        let field = screen.fields[0]
        for text in [screen.title, screen.message, screen.problem, field.label, field.value, field.placeholder] {
            #expect(text == "red\\u{1b}[31m\\u{9b}2J \\u{202e}alert\\u{a}line")
        }
        #expect(LogonScreen(.error, title: String(repeating: "x", count: 500)).title.count == 121)
    }

    @Test func secretsAreInNoScreenAndInNoDescription() {
        #expect(LogonField(.password, "Password", kind: .secret, value: "canary").value.isEmpty)
        let answer = LogonScreenAnswer(.proceed, [.password: "canary", .passcode: "canary"])
        var shown = "\(answer)"
        dump(answer, to: &shown)
        #expect(!shown.contains("canary"))
        #expect(answer[.password] == "canary")
    }

    @Test(arguments: [(1, "One try is left: after"), (2, "2 tries are left: after")])
    func attempts(count: Int, text: String) {
        #expect(LogonScreen.text(attemptsLeft: count).hasPrefix(text))
    }
}
