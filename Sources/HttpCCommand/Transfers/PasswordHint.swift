import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// Says once that there are better places for a password than the command line (security rule S23).
enum PasswordHint {
    static func showOnce(_ plan: RequestPlan, _ diagnostics: Diagnostics) {
        guard plan.hasPassword, isatty(2) != 0, !diagnostics.isSilent, !diagnostics.omitsNotices else { return }
        let directories = Directories(ProcessInfo.processInfo.environment)
        // If it cannot be recorded that the hint was shown, it is not shown: a hint every time is noise.
        guard let state = directories.state, (try? directories.requireOwnHome(for: state)) != nil else { return }
        let marker = "\(state)/password-hint-shown"
        try? FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        close(descriptor)
        diagnostics.message(
            "Hint: a password on the command line ends up in the shell's history. Leave it out and httpc asks for it, "
                + "or use a profile with password-env or password-file. (This is said once.)")
    }
}
