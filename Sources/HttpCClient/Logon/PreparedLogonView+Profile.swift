import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

extension PreparedLogonView {
    /// Screens on the terminal, with the answers of the profile and the command line filled in.
    convenience init(
        _ profile: Profile, passcode: SecretSource?, new: SecretSource? = nil, _ diagnostics: Diagnostics
    ) {
        var values: [LogonField.Name: Value] = [:]
        values[.password] = profile.basic.map { .init(source: $0.password, name: "password") }
        values[.passcode] = passcode.map { .init(source: $0, name: "passcode") }
        values[.newPasscode] = new.map { .init(source: $0, name: "new passcode") }
        values[.repeatedPasscode] = values[.newPasscode]
        self.init(values, then: TerminalLogonView(style: diagnostics.style, spinner: diagnostics.spinner))
    }
}
