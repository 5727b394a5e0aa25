import HttpC
import HttpCTerminal

/// Turns the text of a configuration into profiles, and names every mistake.
struct ProfileParser {
    let shownPath: String
    /// The directory for relative paths in the file.
    let directory: String
    let home: String?
    /// Whether only the owner can read the file.
    let isPrivate: Bool
    /// Whether nobody else can write the file, so that it may name programs to run.
    var isOwn = true
    /// Collects unknown keys; nil if the first one ends parsing.
    var unknownKeys: UnknownKeys?

    private static let profileKeys =
        [
            "match", "web", "cacert", "answer-origins", "basic", "cert", "oauth2", "saml2", "web-login", "otp",
            "answers", "logon",
        ]
        + proxyKeys + singleSignOnKeys

    func parse(_ text: String) throws(CommandFailure) -> [Profile] {
        let root: TOMLTable
        do throws(TOMLMistake) { root = try TOMLParser.parse(text) } catch { throw failure(error.text) }
        let top = ConfigurationTable(root, name: "", shownPath: shownPath)
        try top.allow(["profiles"])
        guard let profiles = try top.table("profiles") else { return [] }
        var result: [Profile] = []
        for name in profiles.keys.sorted() {
            guard let table = try profiles.table(name) else { continue }
            result.append(try profile(name, table))
        }
        return result
    }

    /// Parses as much as possible: each unknown key is a mistake, and each profile has at most one other mistake.
    func parseAll(_ text: String) -> (profiles: [Profile], mistakes: [String]) {
        let unknownKeys = UnknownKeys()
        var parser = self
        parser.unknownKeys = unknownKeys
        var profiles: [Profile] = []
        var mistakes: [String] = []
        do throws(CommandFailure) {
            let root: TOMLTable
            do throws(TOMLMistake) { root = try TOMLParser.parse(text) } catch { throw failure(error.text) }
            let top = ConfigurationTable(root, name: "", shownPath: shownPath, unknownKeys: unknownKeys)
            try top.allow(["profiles"])
            let tables = try top.table("profiles")
            for name in tables?.keys.sorted() ?? [] {
                do throws(CommandFailure) {
                    if let table = try tables?.table(name) { profiles.append(try parser.profile(name, table)) }
                } catch {
                    mistakes.append(error.message)
                }
            }
        } catch {
            mistakes.append(error.message)
        }
        return (profiles, unknownKeys.mistakes + mistakes)
    }

    private func profile(_ name: String, _ table: ConfigurationTable) throws(CommandFailure) -> Profile {
        // The name is also a directory's.
        guard ProfileName.isValid(name) else {
            throw failure(" a profile name may have letters, digits, - _ . only.")
        }
        try table.allow(Self.profileKeys)
        var profile = Profile(name: name)
        profile.match = try list(table, "match") { text throws(ConversationError) in try ProfileMatch(text) } ?? []
        profile.answerOrigins = try origins(table, "answer-origins") ?? []
        profile.web = try choice(table, "web")
        profile.caCertificate = try table.string("cacert").map { absolute($0) }
        try proxy(table, into: &profile)
        if let basic = try table.table("basic") { profile.basic = try login(basic) }
        if let certificate = try table.table("cert") { profile.certificate = try self.certificate(certificate) }
        if let oauth2 = try table.table("oauth2") {
            profile.oauth2 = try self.oauth2(oauth2)
            // The default match is the server's URL.
            if profile.match.isEmpty, let server = profile.oauth2?.sapServer {
                profile.match = [
                    try checked(oauth2, "sap-server", server) { text throws(ConversationError) in
                        try ProfileMatch(text)
                    }
                ]
            }
        }
        if profile.oauth2?.clientAuthentication?.isByCertificate == true, profile.certificate == nil {
            throw failure(" [profiles.\(name).oauth2] authenticates by certificate: add [profiles.\(name).cert].")
        }
        if let saml2 = try table.table("saml2") { profile.saml2 = try self.saml2(saml2) }
        if let login = try table.table("web-login") { profile.webLogin = try webLogin(login) }
        if let otp = try table.table("otp") { profile.otp = try self.otp(otp) }
        if let answers = try table.table("answers") { profile.answers = try self.answers(answers) }
        if let logon = try table.table("logon") { profile.logon = try self.logon(logon) }
        profile.singleSignOn = try singleSignOn(table, of: profile)
        return profile
    }

    /// The value of a key with few choices; nil if it is missing.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ table: ConfigurationTable, _ key: String
    ) throws(CommandFailure) -> Choice? {
        guard let text = try table.string(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure(" \(key) in \(table.shownName) must be one of: \(known).")
        }
        return choice
    }

    private func login(_ table: ConfigurationTable) throws(CommandFailure) -> BasicLogin {
        try table.allow(["username"] + Self.keys(of: "password"))
        guard let username = try table.string("username") else {
            throw failure(" \(table.shownName) has no username.")
        }
        return BasicLogin(username: username, password: try secret(table, "password") ?? .prompt)
    }

    private func certificate(_ table: ConfigurationTable) throws(CommandFailure) -> CertificateFile {
        try table.allow(["file", "key", "type", "origins", "vault", "token"] + Self.keys(of: "passphrase"))
        if let name = try table.string("vault") {
            guard ProfileName.isValid(name) else { throw failure(" vault in \(table.shownName) is not a name.") }
            guard table.keys.allSatisfy(["vault", "origins"].contains) else {
                throw failure(
                    " \(table.shownName) has vault, whose certificate is kept already: leave out what is about a file.")
            }
            return CertificateFile(stored: name, origins: try origins(table, "origins"))
        }
        if let token = try table.string("token") {
            guard !table.keys.contains(where: ["file", "key", "type"].contains) else {
                throw failure(" \(table.shownName) has token, whose key is on the token: leave out file, key and type.")
            }
            return CertificateFile(
                token: token, passphrase: try secret(table, "passphrase"), origins: try origins(table, "origins"))
        }
        guard let file = try table.string("file") else { throw failure(" \(table.shownName) has no file or token.") }
        let type = try table.string("type")
        let kind = type.flatMap { CertificateFile.Kind(rawValue: $0.uppercased()) }
        if type != nil, kind == nil { throw failure(" type in \(table.shownName) must be PEM, DER or P12.") }
        return CertificateFile(
            path: absolute(file), key: try table.string("key").map { absolute($0) }, kind: kind,
            passphrase: try secret(table, "passphrase"), origins: try origins(table, "origins"))
    }

    /// The keys of a secret.
    static func keys(of name: String) -> [String] { [name] + sources.map { "\(name)-\($0)" } }

    /// The ends of the keys that name a secret's place.
    static let sources = ["env", "file", "command", "keyring"]

    /// A secret from one of its keys: NAME, NAME-env, NAME-file, NAME-command, NAME-keyring; nil if all are missing.
    func secret(_ table: ConfigurationTable, _ name: String) throws(CommandFailure) -> PasswordSource? {
        var sources: [PasswordSource] = []
        if let value = try table.string(name) {
            guard isPrivate else {
                throw failure(
                    " it holds a \(name.replacing("-", with: " ")) and others can read it. "
                        + "Run: chmod 600 \(shownPath) – or use \(name)-env.")
            }
            sources.append(.literal(Redacted(value)))
        }
        sources += try places(table, "\(name)-")
        guard sources.count <= 1 else {
            throw failure(
                " \(table.shownName) names more than one of \(Self.keys(of: name).joined(separator: ", ")).")
        }
        return sources.first
    }

    /// The places that keys name: a variable, a file, a program, an entry of the key ring.
    ///
    /// - Parameter prefix: the beginning of the keys
    func places(_ table: ConfigurationTable, _ prefix: String) throws(CommandFailure) -> [PasswordSource] {
        var places: [PasswordSource] = []
        if let variable = try table.string("\(prefix)env") { places.append(.environment(variable)) }
        if let file = try table.string("\(prefix)file") { places.append(.file(absolute(file))) }
        if let words = try table.strings("\(prefix)command") {
            guard let program = words.first, !program.isEmpty else {
                throw failure(" \(prefix)command in \(table.shownName) names no program.")
            }
            guard words.allSatisfy({ !$0.utf8.contains(0) }) else {
                throw failure(" \(prefix)command in \(table.shownName) has a NUL.")
            }
            // What others can write would run as this user.
            guard isOwn else {
                throw failure(
                    " it names a program to run (\(prefix)command in \(table.shownName)), and others can write it. "
                        + "Run: chmod go-w \(shownPath)")
            }
            places.append(.command([program.contains("/") ? absolute(program) : program] + words.dropFirst()))
        }
        if let entry = try table.string("\(prefix)keyring") {
            // secret-tool takes a NUL for the end, and nothing for any entry.
            guard !entry.utf8.contains(0), SecretPrograms.lookUp(entry).dropFirst(2).allSatisfy({ !$0.isEmpty }),
                SecretPrograms.lookUp(entry).count > 2
            else {
                throw failure(
                    " \(prefix)keyring in \(table.shownName) has to be a name, or attributes as \"a=b,c=d\".")
            }
            places.append(.keyring(entry))
        }
        return places
    }

    /// A list of origins, such as `https://api.example.com`.
    func origins(_ table: ConfigurationTable, _ key: String) throws(CommandFailure) -> [Origin]? {
        try list(table, key) { text throws(ConversationError) in try TargetURL(text).origin }
    }

    private func list<Value>(
        _ table: ConfigurationTable, _ key: String, _ parse: (String) throws(ConversationError) -> Value
    ) throws(CommandFailure) -> [Value]? {
        guard let texts = try table.strings(key) else { return nil }
        var values: [Value] = []
        for (index, text) in texts.enumerated() { values.append(try checked(table, key, text, index, parse)) }
        return values
    }

    /// - Parameter index: the index of a list's entry, which an error names instead of its text: the text may hold a
    ///   secret
    func checked<Value>(
        _ table: ConfigurationTable, _ key: String, _ text: String, _ index: Int? = nil,
        _ parse: (String) throws(ConversationError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(ConversationError) { return try parse(text) } catch {
            let entry = index.map { "entry \($0 + 1) of " } ?? ""
            throw failure(" \(entry)\(key) in \(table.shownName) cannot be used: \(error.message)")
        }
    }

    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return directory + (directory.hasSuffix("/") ? "" : "/") + path
    }

    func failure(_ message: String) -> CommandFailure {
        CommandFailure(.usage, "The configuration \(shownPath):\(message)")
    }
}
