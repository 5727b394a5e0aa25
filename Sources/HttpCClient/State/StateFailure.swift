import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVault

/// The command's failures for errors of a profile's vault.
enum StateFailure {
    /// The failure for an error of opening the vault.
    static func failure(_ error: DataVaultError, in directory: StateDirectory) -> CommandFailure {
        switch error.code {
        case .wrongKey:
            let hasVariable = ProcessInfo.processInfo.environment[StateVaultKey.variable] != nil
            return CommandFailure(
                .usage,
                "The vault in \(directory.shownPath) was made with another key than that in "
                    + "\(hasVariable ? StateVaultKey.variable : StateVaultKey.fileName).")
        case .damaged, .unsupportedFormat:
            return CommandFailure(
                .outputFailed,
                text(error)
                    + " To start afresh, remove vault.sqlite* in \(directory.shownPath): the profile's tokens and "
                    + "cookies are lost.")
        default: return failure(error)
        }
    }

    /// The failure for an error of using the vault.
    static func failure(_ error: DataVaultError) -> CommandFailure {
        switch error.code {
        case .keyUnusable, .insecurePermissions, .unsafeFile: CommandFailure(.usage, text(error))
        case .cancelled: CommandFailure(.loginFailed, "The login was cancelled.")
        // The library's message may end with a path, and what the command adds would follow it.
        default: CommandFailure(.outputFailed, text(error) + (error.message.hasSuffix(".") ? "" : "."))
        }
    }

    /// The failure for other errors.
    static var unexpected: CommandFailure {
        CommandFailure(.fault, "The state of a profile could not be used, in an unexpected way.")
    }

    private static func text(_ error: DataVaultError) -> String { TerminalText.sanitise(error.message, limit: 400) }
}
