import HttpConvPlatform

/// Secrets on standard output, for another program.
package enum SecretOutput {
    /// Refuses a terminal, which would show the secret and keep it in its history.
    ///
    /// - Parameter secret: the name of the secret, as the subject of a sentence
    package static func requireNoTerminal(_ secret: String) throws(CommandFailure) {
        guard isatty(1) != 0 else { return }
        throw CommandFailure(
            .usage, "\(secret) is for another program, and standard output is a terminal: pipe it to that program.")
    }
}
