package import HttpC
package import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The question that git writes to a credential helper: lines of `name=value` (git-credential(1), "INPUT/OUTPUT
/// FORMAT").
package struct GitCredentialRequest: Sendable {
    /// The URL; nil for protocols other than HTTP, and without a host.
    package let url: TargetURL?
    package let username: String?
    /// The password or token that git has used.
    package let secret: String?
    /// Whether git knows `authtype`, and the server does not ask for other schemes only.
    let takesBearer: Bool

    /// Reads the lines.
    ///
    /// - Throws: a usage failure for anything that git does not write, such as a second host
    package init(_ bytes: [UInt8]) throws(CommandFailure) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.refused("it is not text (UTF-8)") }
        var single: [Substring: Substring] = [:]
        var (capabilities, challenges): ([Substring], [Substring]) = ([], [])
        for line in text.split(ascii: "\n", keepsEmpty: true) {
            // An empty line ends it.
            guard !line.isEmpty else { break }
            guard let (name, value) = line.cut(atASCII: "=") else { throw Self.refused("a line has no equals sign") }
            switch name {
            case "capability[]": Self.append(value, to: &capabilities)
            case "wwwauth[]": Self.append(value, to: &challenges)
            case "protocol", "host", "path", "username", "password", "credential":
                guard !value.hasControls else { throw Self.refused("a value has control characters") }
                // A line end that got into a value of git's looks like this.
                guard single.updateValue(value, forKey: name) == nil else {
                    throw Self.refused("it says \(name) twice")
                }
            default: continue
            }
        }
        if let host = single["host"], let scheme = single["protocol"] {
            url = try HelperTarget.url(scheme: scheme, host: host, path: single["path"] ?? "")
        } else {
            url = nil
        }
        username = single["username"].map { String($0) }
        secret = (single["credential"] ?? single["password"]).map { String($0) }
        takesBearer =
            capabilities.contains("authtype")
            && (challenges.isEmpty || challenges.contains { $0.starts(withASCIILetters: "bearer") })
    }

    /// An empty value begins the list anew.
    private static func append(_ value: Substring, to list: inout [Substring]) {
        if value.isEmpty { list = [] } else { list.append(value) }
    }

    private static func refused(_ why: String) -> CommandFailure {
        CommandFailure(.usage, "The input is not that of a git credential helper: \(why).")
    }

    /// The lines that answer `get`; empty if there is nothing for this user.
    package func answer(_ credential: LentCredential) throws(CommandFailure) -> String {
        var lines: [(String, String)] = []
        if case .token(let tokens, _) = credential, takesBearer {
            lines = [
                ("capability[]", "authtype"), ("authtype", "Bearer"), ("credential", tokens.accessToken.value),
                ("ephemeral", "1"),
            ]
        } else if case .password(let own, nil) = credential, username == nil {
            // Then git asks for the password.
            lines = [("username", own)]
        } else if let login = credential.login(for: username) {
            lines = [("username", login.username), ("password", login.secret.value)]
        }
        if case .token(let tokens, _) = credential, let end = tokens.expiresAt,
            let seconds = PeerNumber.integer(end.timeIntervalSince1970, clampingTo: 0...100_000_000_000)
        {
            lines.append(("password_expiry_utc", String(seconds)))
        }
        // A line end would begin another line.
        guard lines.allSatisfy({ !$1.contains(ascii: "\n") && !$1.contains(ascii: "\0") }) else {
            throw CommandFailure(.loginFailed, "The credential has a line end, which git cannot take.")
        }
        return lines.map { "\($0)=\($1)\n" }.joined()
    }
}
