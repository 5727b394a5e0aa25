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
    /// Collects the mistakes; nil if the first one ends parsing.
    var mistakes: ConfigurationMistakes?

    private static let profileKeys =
        [
            "match", "web", "cacert", "answer-origins", "basic", "kerberos", "cert", "oauth2", "saml2", "web-login",
            "otp",
            "answers", "logon",
        ]
        + proxyKeys + singleSignOnKeys

    func parse(_ text: String) throws(CommandFailure) -> [Profile] {
        var profiles: [Profile] = []
        try parse(text) { profile, _ in profiles.append(profile) }
        return profiles
    }

    /// Parses as much as possible.
    ///
    /// - Returns: all profiles with a valid name; the names of those of which something is missing here; all mistakes
    func parseAll(_ text: String) -> (profiles: [Profile], incomplete: Set<String>, mistakes: [String]) {
        let mistakes = ConfigurationMistakes()
        var parser = self
        parser.mistakes = mistakes
        var (profiles, incomplete): ([Profile], Set<String>) = ([], [])
        do throws(CommandFailure) {
            try parser.parse(text) { profile, isComplete in
                profiles.append(profile)
                if !isComplete { incomplete.insert(profile.name) }
            }
        } catch {
            mistakes.add(error, isPrimary: false)
        }
        return (profiles, incomplete, mistakes.messages)
    }

    private func parse(_ text: String, _ found: (Profile, _ isComplete: Bool) -> Void) throws(CommandFailure) {
        let root: TOMLTable
        do throws(TOMLMistake) { root = try TOMLParser.parse(text) } catch { throw failure(error.text) }
        let top = ConfigurationTable(root, name: "", shownPath: shownPath, mistakes: mistakes)
        try top.allow(["profiles"])
        guard let profiles = try top.table("profiles") else { return }
        for name in profiles.keys.sorted() {
            let count = mistakes?.messages.count
            let parsed = try part(profiles, name) { (table) throws(CommandFailure) in try profile(name, table) }
            if let parsed { found(parsed, mistakes?.messages.count == count) }
        }
    }

    // MARK: Mistakes

    /// Ends parsing with a mistake. If the configuration is checked as a whole, the mistake is collected.
    func refuse(_ message: String) throws(CommandFailure) { try refuse(failure(message)) }

    func refuse(_ failure: CommandFailure) throws(CommandFailure) {
        guard let mistakes else { throw failure }
        mistakes.add(failure, isPrimary: true)
    }

    /// Does a part of the work. If the configuration is checked as a whole, a mistake ends this part only. A mistake
    /// that may be the consequence of an earlier one in this part is dropped.
    ///
    /// - Returns: nil after a mistake
    func attempt<Value>(_ work: () throws(CommandFailure) -> Value) throws(CommandFailure) -> Value? {
        guard let mistakes else { return try work() }
        let primaryMistakes = mistakes.primaryMistakes
        do throws(CommandFailure) { return try work() } catch {
            if mistakes.primaryMistakes == primaryMistakes { mistakes.add(error, isPrimary: true) }
            return nil
        }
    }

    /// Parses a table; nil if it is missing, or after a mistake.
    private func part<Value>(
        _ table: ConfigurationTable, _ key: String, _ parse: (ConfigurationTable) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value? {
        guard let inner = try table.table(key) else { return nil }
        return try attempt { () throws(CommandFailure) in try parse(inner) }
    }

    // MARK: Profiles

    private func profile(_ name: String, _ table: ConfigurationTable) throws(CommandFailure) -> Profile {
        // The name is also a directory's.
        guard ProfileName.isValid(name) else {
            throw failure(" a profile name may have letters, digits, - _ . only.")
        }
        try table.allow(Self.profileKeys)
        var profile = Profile(name: name)
        profile.match = try list(table, "match") { text throws(ConversationError) in try ProfileMatch(text) } ?? []
        profile.answerOrigins = try origins(table, "answer-origins") ?? []
        let viewers: [Profile.ViewerChoice] = try choices(table, "web")
        profile.viewer = viewers.first
        profile.otherViewers = Array(viewers.dropFirst())
        profile.caCertificate = try table.string("cacert").map { absolute($0) }
        try proxy(table, into: &profile)
        profile.basic = try part(table, "basic", login)
        profile.kerberos = try part(table, "kerberos", kerberos)
        if let kerberos = profile.kerberos, kerberos.isForProxy, !table.keys.contains("proxy") {
            try refuse(" [profiles.\(name).kerberos] is for the proxy, and the profile names none: proxy is missing.")
        }
        profile.certificate = try part(table, "cert", certificate)
        profile.oauth2 = try part(table, "oauth2", oauth2)
        // The default match is the server's URL.
        if !table.keys.contains("match"), let server = profile.oauth2?.sapServer,
            let match = try attempt({ () throws(CommandFailure) in try match(sapServer: server, of: name) })
        {
            profile.match = [match]
        }
        if profile.oauth2?.clientAuthentication?.isByCertificate == true, !table.keys.contains("cert") {
            try refuse(" [profiles.\(name).oauth2] authenticates by certificate: add [profiles.\(name).cert].")
        }
        profile.saml2 = try part(table, "saml2", saml2)
        profile.webLogin = try part(table, "web-login", webLogin)
        profile.otp = try part(table, "otp", otp)
        profile.answers = try part(table, "answers", answers) ?? [:]
        profile.logon = try part(table, "logon", logon)
        if let ecp = profile.saml2?.ecp {
            if ecp.basic == nil, !table.keys.contains("kerberos") {
                try refuse(
                    " [profiles.\(name).saml2] has ecp without a login there: add username, or [profiles.\(name).kerberos]."
                )
            }
            if table.keys.contains("logon") {
                try refuse(" [profiles.\(name).saml2] has ecp, which a logon cannot use: it logs in on pages.")
            }
        }
        profile.singleSignOn = try singleSignOn(table, of: profile)
        return profile
    }

    private func match(sapServer: String, of name: String) throws(CommandFailure) -> ProfileMatch {
        do throws(ConversationError) { return try ProfileMatch(sapServer) } catch {
            throw failure(" sap-server in [profiles.\(name).oauth2] cannot be used: \(error.message)")
        }
    }

    /// The value of a key with few choices; nil if it is missing.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ table: ConfigurationTable, _ key: String
    ) throws(CommandFailure) -> Choice? {
        guard let text = try table.string(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            try refuse(" \(key) in \(table.shownName) must be one of: \(known).")
            return nil
        }
        return choice
    }

    /// The values of a key with few choices, which has one of them or a list; empty if it is missing.
    private func choices<Choice: RawRepresentable<String> & CaseIterable>(
        _ table: ConfigurationTable, _ key: String
    ) throws(CommandFailure) -> [Choice] {
        var choices: [Choice] = []
        for text in try table.stringOrStrings(key) ?? [] {
            guard let choice = Choice(rawValue: text) else {
                let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                try refuse(" \(key) in \(table.shownName) must be one or several of: \(known).")
                continue
            }
            choices.append(choice)
        }
        return choices
    }

    private func login(_ table: ConfigurationTable) throws(CommandFailure) -> BasicTable {
        try table.allow(["username"] + Self.keys(of: "password"))
        guard let username = try table.string("username") else {
            throw failure(" \(table.shownName) has no username.")
        }
        return BasicTable(username: username, password: try secret(table, "password") ?? .prompt)
    }

    private func certificate(_ table: ConfigurationTable) throws(CommandFailure) -> CertificateFile {
        try table.allow(["file", "key", "type", "origins", "vault", "token"] + Self.keys(of: "passphrase"))
        if let name = try table.string("vault") {
            guard ProfileName.isValid(name) else { throw failure(" vault in \(table.shownName) is not a name.") }
            if !table.keys.allSatisfy(["vault", "origins"].contains) {
                try refuse(
                    " \(table.shownName) has vault, whose certificate is kept already: leave out what is about a file.")
            }
            return CertificateFile(stored: name, origins: try origins(table, "origins"))
        }
        if let token = try table.string("token") {
            if table.keys.contains(where: ["file", "key", "type"].contains) {
                try refuse(" \(table.shownName) has token, whose key is on the token: leave out file, key and type.")
            }
            return CertificateFile(
                token: token, passphrase: try secret(table, "passphrase"), origins: try origins(table, "origins"))
        }
        guard let file = try table.string("file") else { throw failure(" \(table.shownName) has no file or token.") }
        let type = try table.string("type")
        let kind = type.flatMap { CertificateFile.Kind(rawValue: $0.uppercased()) }
        if type != nil, kind == nil { try refuse(" type in \(table.shownName) must be PEM, DER or P12.") }
        return CertificateFile(
            path: absolute(file), key: try table.string("key").map { absolute($0) }, kind: kind,
            passphrase: try secret(table, "passphrase"), origins: try origins(table, "origins"))
    }

    /// The keys of a secret.
    static func keys(of name: String) -> [String] { [name] + sources.map { "\(name)-\($0)" } }

    /// The ends of the keys that name a secret's place.
    static let sources = ["env", "file", "command", "keyring"]

    /// A secret from one of its keys: NAME, NAME-env, NAME-file, NAME-command, NAME-keyring; nil if all are missing.
    func secret(_ table: ConfigurationTable, _ name: String) throws(CommandFailure) -> SecretSource? {
        var sources: [SecretSource] = []
        if let value = try table.string(name) {
            if !isPrivate {
                try refuse(
                    " it holds a \(name.replacing("-", with: " ")) and others can read it. "
                        + "Run: chmod 600 \(shownPath) – or use \(name)-env.")
            }
            sources.append(.literal(Redacted(value)))
        }
        sources += try places(table, "\(name)-")
        if sources.count > 1 {
            try refuse(
                " \(table.shownName) names more than one of \(Self.keys(of: name).joined(separator: ", ")).")
        }
        return sources.first
    }

    /// The places that keys name: a variable, a file, a program, an entry of the key ring.
    ///
    /// - Parameter prefix: the beginning of the keys
    func places(_ table: ConfigurationTable, _ prefix: String) throws(CommandFailure) -> [SecretSource] {
        var places: [SecretSource] = []
        if let variable = try name("\(prefix)env", "variable", table) { places.append(.environment(variable)) }
        if let file = try name("\(prefix)file", "file", table) { places.append(.file(absolute(file))) }
        if let words = try table.strings("\(prefix)command"), let program = try program(words, table, prefix) {
            places.append(.command([program] + words.dropFirst()))
        }
        if let entry = try table.string("\(prefix)keyring") {
            if !SecretPrograms.isEntry(entry) {
                try refuse(" \(prefix)keyring in \(table.shownName) has to be a name, or attributes as \"a=b,c=d\".")
            }
            places.append(.keyring(entry))
        }
        return places
    }

    /// The name of a variable or a file; nil after a mistake.
    private func name(
        _ key: String, _ kind: String, _ table: ConfigurationTable
    ) throws(CommandFailure) -> String? {
        let name = try table.string(key)
        guard name?.isEmpty == true else { return name }
        try refuse(" \(key) in \(table.shownName) names no \(kind).")
        return nil
    }

    /// The program of a `-command`; nil after a mistake.
    private func program(
        _ words: [String], _ table: ConfigurationTable, _ prefix: String
    ) throws(CommandFailure) -> String? {
        let key = "\(prefix)command in \(table.shownName)"
        guard let program = words.first, !program.isEmpty else {
            try refuse(" \(key) names no program.")
            return nil
        }
        if words.contains(where: { $0.utf8.contains(0) }) { try refuse(" \(key) has a NUL.") }
        // Other users could write the name of any program, which would run as this user.
        if !isOwn {
            try refuse(" it names a program to run (\(key)), and others can write it. Run: chmod go-w \(shownPath)")
        }
        return program.contains("/") ? absolute(program) : program
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
        for (index, text) in texts.enumerated() {
            let value = try attempt { () throws(CommandFailure) in try checked(table, key, text, index, parse) }
            if let value { values.append(value) }
        }
        return values
    }

    /// The value of a key; nil if it is missing, or after a mistake.
    func value<Value>(
        _ table: ConfigurationTable, _ key: String, _ parse: (String) throws(ConversationError) -> Value
    ) throws(CommandFailure) -> Value? {
        guard let text = try table.string(key) else { return nil }
        return try attempt { () throws(CommandFailure) in try checked(table, key, text, nil, parse) }
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
