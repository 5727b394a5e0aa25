import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

extension PreparedLogonView {
    /// Screens on the terminal, with the answers of the profile and the command line filled in.
    convenience init(
        _ profile: Profile, passcode: SecretSource?, new: SecretSource? = nil, _ diagnostics: Diagnostics
    ) {
        self.init(
            Self.values(of: profile, passcode, new),
            then: TerminalLogonView(style: diagnostics.style, spinner: diagnostics.spinner))
    }

    /// The password is missing if the profile names no server: it is not for one that is typed on the screen (security
    /// rule S31).
    static func values(
        of profile: Profile, _ passcode: SecretSource? = nil, _ new: SecretSource? = nil
    ) -> [LogonField.Name: Value] {
        var values: [LogonField.Name: Value] = [:]
        if let basic = profile.basic, (try? profile.logon?.server(of: profile, at: nil)) != nil {
            values[.password] = .init(source: basic.password, name: "password")
        }
        values[.passcode] = passcode.map { .init(source: $0, name: "passcode") }
        values[.newPasscode] = new.map { .init(source: $0, name: "new passcode") }
        values[.repeatedPasscode] = values[.newPasscode]
        return values
    }
}
