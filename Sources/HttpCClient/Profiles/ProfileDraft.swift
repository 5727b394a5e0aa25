import HttpC
import HttpCTerminal
import HttpConvFormats

/// A new profile as text for the configuration file.
struct ProfileDraft {
    /// A value of a key.
    indirect enum Value: Equatable {
        case text(String)
        case texts([String])
        case flag(Bool)
        /// A table with one key, such as `{ env = "PASSWORD" }`.
        case table(String, Value)
    }

    private struct Table {
        let name: String
        var keys: [(name: String, value: Value)] = []
    }

    /// A valid name (``ProfileName``).
    let name: String
    /// Whether the logins have to work without a person: the profile has the answers for all fields of their pages.
    var isUnattended = false
    private var tables = [Table(name: "")]

    init(name: String) { self.name = name }

    /// Adds a table, which may stay empty, such as `saml2`.
    mutating func add(table: String) {
        if !tables.contains(where: { $0.name == table }) { tables.append(Table(name: table)) }
    }

    /// Adds a key; nil adds nothing. An empty table name means the profile itself.
    mutating func set(_ key: String, _ value: Value?, in table: String = "") {
        guard let value else { return }
        add(table: table)
        guard let index = tables.firstIndex(where: { $0.name == table }) else { return }
        tables[index].keys.removeAll { $0.name == key }
        tables[index].keys.append((key, value))
    }

    /// Whether the profile itself has a key.
    func has(_ key: String) -> Bool { tables.first?.keys.contains { $0.name == key } == true }

    /// Whether a table has a key.
    func hasKeys(in table: String) -> Bool { tables.first { $0.name == table }?.keys.isEmpty == false }

    /// Whether a key of a table has this value.
    func holds(_ value: Value, in table: String) -> Bool {
        tables.first { $0.name == table }?.keys.contains { $0.value == value } == true
    }

    /// Adds the origins of login pages to those that may get answers, and writes nothing if there is only the profile's
    /// own.
    mutating func add(answerOrigins others: [Origin], besides own: Origin) {
        var names = [own.description]
        for name in answerOrigins + others.map(\.description) where !names.contains(name) {
            names.append(name)
        }
        if names.count > 1 { set("answer-origins", .texts(names)) }
    }

    /// The texts of `answer-origins`; empty if it is missing.
    var answerOrigins: [String] {
        guard case .texts(let texts)? = tables.first?.keys.first(where: { $0.name == "answer-origins" })?.value else {
            return []
        }
        return texts
    }

    mutating func set(_ key: String, _ text: String?, in table: String = "") {
        set(key, text.map { .text($0) }, in: table)
    }

    /// The text, which ends in a line feed. Every character of a value that could end its string or act on a terminal
    /// is escaped.
    var text: String { text(tables) }

    /// The tables below the profile's own, as text for a profile that is there.
    var addition: String { text(tables.dropFirst()) }

    private func text(_ tables: some Sequence<Table>) -> String {
        tables.map { table in
            let heading = "[profiles.\(Self.key(name))\(table.name.isEmpty ? "" : ".\(table.name)")]\n"
            return heading + table.keys.map { "\(Self.key($0.name)) = \(Self.text($0.value))\n" }.joined()
        }.joined()
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .texts(let texts): "[\(texts.map(quoted).joined(separator: ", "))]"
        case .flag(let flag): flag ? "true" : "false"
        case .table(let key, let value): "{ \(Self.key(key)) = \(Self.text(value)) }"
        }
    }

    private static func key(_ name: String) -> String {
        let isBare = !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || "-_".utf8.contains($0) }
        return isBare ? name : quoted(name)
    }

    /// A basic string of TOML (version 1.0).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where TerminalText.isControl(scalar):
                result += "\\u" + String(scalar.value, radix: 16, uppercase: true).zeroPadded(to: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension ProfileDraft {
    /// The header field by which SAP's servers mark a demand.
    static let sapHeader = "com.sap.cloud.security.login"

    /// Adds the table for a recognised login. Places that the server named are shown to the person before they are
    /// written.
    mutating func add(_ login: RecognizedLogin) {
        switch login.configuration {
        case .saml2(let config)?:
            add(table: "saml2")
            guard login.product == .sap else { return set("start", config.start?.requestTarget, in: "saml2") }
            set("header", Self.sapHeader, in: "saml2")
            set("finish-endpoint", "/SAMLAuthLauncher", in: "saml2")
            set("finish-parameter", "finishEndpointParam", in: "saml2")
        case .oneTimeCode?: add(table: "otp")
        case .webLogin(let config)?: add(config, at: login.target.origin)
        default: add(table: "web-login")
        }
    }

    private mutating func add(_ login: WebLoginConfiguration, at origin: Origin) {
        add(table: "web-login")
        for challenge in login.challenges {
            switch challenge {
            case .redirect(let place):
                // A place is a prefix.
                let text = place.absoluteString
                set("redirect-to", text.utf8.count <= 1000 ? text : place.root.absoluteString, in: "web-login")
            case .status(let code): set("status", "\(code)", in: "web-login")
            case .passwordForm: set("password-form", .flag(true), in: "web-login")
            default: break
            }
        }
        if let start = login.start {
            let text = start.origin == origin ? start.requestTarget : start.absoluteString
            set("start", text.utf8.count <= 1000 ? text : nil, in: "web-login")
        }
    }
}
