package import HttpC
import HttpCTerminal
import HttpConvPlatform

extension Profile {
    /// Whether it can log in anywhere.
    package var hasLogin: Bool {
        basic != nil || kerberos != nil || certificate != nil || oauth2 != nil || hasWebLogin || logon != nil
    }

    /// Whether it has tokens of an authorization server.
    package var hasTokens: Bool { oauth2 != nil }

    /// The kinds of login, for people.
    package var loginWords: [String] {
        var words: [String] = []
        if let basic { words.append("password of \(TerminalText.sanitise(basic.username, limit: 40))") }
        if let kerberos { words.append("Kerberos (\(kerberos.words))") }
        if certificate != nil { words.append("client certificate") }
        if let oauth2 { words.append("OAuth2 (\(oauth2.grant.rawValue))") }
        words += pageWords
        if let logon { words.append("registration of \(TerminalText.sanitise(logon.application, limit: 40))") }
        return words
    }

    /// The kinds of login on web pages, for people.
    var pageWords: [String] {
        [
            saml2.map { $0.ecp == nil ? "SAML2" : "SAML2 (ECP)" }, webLogin == nil ? nil : "web login",
            otp == nil ? nil : "one-time codes",
        ]
        .compactMap { $0 }
    }

    /// The URLs that it is for, as text.
    package var matchWords: [String] { match.map { $0.url?.absoluteString ?? $0.origin.description } }

    /// The first URL that it is for; nil if it is for the URLs of the command line only.
    package var firstURL: TargetURL? { match.first?.url }
}

extension SecretSource {
    /// The source for people, and whether it can be used now.
    ///
    /// - Returns: nil for a question at each login
    func words(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> (
        text: String, problem: String?
    )? {
        switch self {
        case .prompt: return nil
        case .literal: return ("in the configuration", nil)
        case .environment(let variable):
            let name = SecretReader.isPlainName(variable) ? "the variable \(variable)" : "a variable"
            return (name, environment[variable] == nil ? "not set" : nil)
        case .file(let path): return ("the file \(TerminalText.sanitise(path))", Self.problem(ofFile: path))
        case .command(let words): return ("the program \(TerminalText.sanitise(words.first ?? ""))", nil)
        case .keyring: return ("the desktop's key ring", nil)
        }
    }

    /// The reason why a file with a secret cannot be used; nil if there is none.
    static func problem(ofFile path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? "missing" : Posix.reason(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { return "a directory" }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 { return "others can read it" }
        return access(path, R_OK) == 0 ? nil : Posix.reason(errno)
    }
}
