package import HttpC

extension ConversationError {
    /// The message for users of the command: options and plain words instead of the library's Swift names.
    package var commandMessage: String { Self.commandText(message) }

    /// The same for the text of another error.
    package static func commandText(_ text: String) -> String {
        replacements.reduce(text) { text, replacement in
            text.replacing(replacement.library, with: replacement.command)
        }
    }

    /// Longer texts come before their parts.
    private static let replacements: [(library: String, command: String)] = [
        (
            ": give the proxy a user name and password (ProxyServer.login), or add a UsernamePasswordProvider that serves it.",
            "."
        ),
        (": give it a user name and password (ProxyServer.login)", ""),
        (
            "give the login to the proxy (ProxyServer.login), or a UsernamePasswordProvider that serves it.",
            "use --proxy-user."
        ),
        (" (ProxyServer.login)", ""), (": give credentials to a UsernamePasswordProvider instead.", ": use -u."),
        (" (maximumHeadBytes of the transport's configuration)", ""),
        (" (maximumExpansion of the transport's configuration)", ""),
        (" than the one that connections are limited to (addressFamily)", " than -4 or -6 allows"),
        (": ask for it with Accept-Encoding to get", ": use --no-compressed to get"),
        (
            "nothing is appended to it. Remove it to start over.",
            "nothing is appended to it. Remove it to start over, or use -C NUMBER if its first NUMBER bytes are right."
        ),
        (" (maximumAttempts)", ""), (" (interactionTimeout)", ""), (" (clientCertificateTimeout)", ""),
        (": read it as a stream or raise maximumBufferedBytes.", "."),
        (
            " Allow it with RedirectPolicy.allowsDowngrade if that is what you want.",
            " If that is meant, give the http URL itself."
        ),
        (" It wants a login that nothing in the manager's configuration answers.", ""),
        (
            "The registration that this manager was configured for no longer exists: configure a new manager.",
            "The registration has ended: start httpc again for a new one."
        ),
        (" and the manager has none that it accepts", " and there is none that it accepts"),
        (" If that is meant, add the origin to trustedOrigins; it is then asked without credentials.", ""),
        (" (ODataLimits.waitingTime)", ""), (": ask for less, or raise the limit.", ": ask for less."),
        (": register a WebLoginStrategy with WebStrategies.", "."), (" Register a strategy with WebStrategies.", ""),
    ]
}
