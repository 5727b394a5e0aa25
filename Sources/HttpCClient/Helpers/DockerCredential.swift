package import HttpC
package import HttpCTerminal

/// The documents of Docker's credential helpers (docker-credential-helpers).
package enum DockerCredential {
    /// The URL of a registry, as it is on standard input: often a host alone.
    package static func urls(_ input: [UInt8]) throws(CommandFailure) -> [TargetURL] {
        guard let text = String(validating: input, as: UTF8.self) else {
            throw CommandFailure(.usage, "The input is not the URL of a registry.")
        }
        let line = text.ends(withBytesOf: "\n") ? text[..<text.utf8.index(before: text.endIndex)] : text[...]
        return try HelperTarget.urls(String(line.ends(withBytesOf: "\r") ? line.dropLast() : line))
    }

    /// The answer to `get`.
    package static func answer(_ url: TargetURL, _ login: (username: String, secret: Redacted<String>)) -> String {
        HelperJSON.texts([
            ("ServerURL", url.absoluteString), ("Username", login.username), ("Secret", login.secret.value),
        ]).line
    }

    /// The answer to `list`: a user name for each URL.
    package static func list(_ logins: [(url: TargetURL, username: String)]) -> String {
        HelperJSON.texts(logins.map { ($0.url.absoluteString, $0.username) }).line
    }
}
