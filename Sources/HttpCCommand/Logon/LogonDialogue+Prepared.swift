import HttpC
import Logon

extension LogonDialogue {
    /// A dialogue on the terminal, of which the profile and the command line answer what they can.
    static func prepared(
        for logon: Logon, _ profile: Profile, passcode: PasswordSource?, new: PasswordSource? = nil,
        _ diagnostics: Diagnostics
    ) throws(CommandFailure) -> LogonDialogue {
        var values: [LogonField.Name: Redacted<String>] = [:]
        values[.password] = try read(profile.basic?.password, "password")
        values[.passcode] = try read(passcode, "passcode")
        if let new = try read(new, "new passcode") {
            values[.newPasscode] = new
            values[.repeatedPasscode] = new
        }
        let terminal = TerminalLogonView(style: diagnostics.style, spinner: diagnostics.spinner)
        return LogonDialogue(logon: logon, view: PreparedLogonView(values, then: terminal))
    }

    static func notRegistered(_ profile: String) -> CommandFailure {
        CommandFailure(
            .loginFailed,
            "Nothing is registered with the profile \"\(profile)\". Run: httpc logon --profile \(profile)")
    }

    private static func read(
        _ source: PasswordSource?, _ name: String
    ) throws(CommandFailure) -> Redacted<String>? {
        try source.flatMap { source throws(CommandFailure) in try PasswordReader.read(source, name) }
    }
}
