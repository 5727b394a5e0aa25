import HttpC
package import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

extension LogonDialogue {
    /// A dialogue on the terminal, with the answers of the profile and the command line filled in.
    static func prepared(
        for logon: Logon, _ profile: Profile, passcode: PasswordSource?, new: PasswordSource? = nil,
        _ diagnostics: Diagnostics
    ) -> LogonDialogue {
        var values: [LogonField.Name: PreparedLogonView.Value] = [:]
        values[.password] = profile.basic.map { .init(source: $0.password, name: "password") }
        values[.passcode] = passcode.map { .init(source: $0, name: "passcode") }
        values[.newPasscode] = new.map { .init(source: $0, name: "new passcode") }
        values[.repeatedPasscode] = values[.newPasscode]
        let terminal = TerminalLogonView(style: diagnostics.style, spinner: diagnostics.spinner)
        return LogonDialogue(logon: logon, view: PreparedLogonView(values, then: terminal))
    }

    package static func notRegistered(_ profile: String) -> CommandFailure {
        CommandFailure(
            .loginFailed,
            "Nothing is registered with the profile \"\(profile)\". Run: httpc logon --profile \(profile)")
    }
}
