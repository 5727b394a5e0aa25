import HttpC
import HttpCTerminal
import HttpConvFormats

/// `[profiles.NAME.saml2]`, `[profiles.NAME.web-login]`, `[profiles.NAME.otp]` and `[profiles.NAME.answers]`.
extension ProfileParser {
    /// An empty table means a service provider that shows its own page after a login.
    func saml2(_ table: ConfigurationTable) throws(CommandFailure) -> SAML2Table {
        let primaryMistakes = mistakes?.primaryMistakes
        let keysOfPages = ["header", "start", "finish-endpoint", "finish-parameter"]
        let keysOfECP = ["ecp", "username"] + Self.keys(of: "password")
        try table.allow(keysOfPages + keysOfECP)
        if table.keys.contains("ecp") {
            if table.keys.contains(where: keysOfPages.contains) {
                try refuse(
                    " \(table.shownName) has ecp, which needs no page: leave out \(keysOfPages.joined(separator: ", "))."
                )
            }
            return SAML2Table(ecp: try ecp(table))
        }
        if table.keys.contains(where: keysOfECP.contains) {
            try refuse(
                " \(table.shownName) has a user name or password without ecp, the identity provider that gets it.")
        }
        var login = SAML2Table(header: try table.string("header"), start: try page("start", table))
        let parameter = try table.string("finish-parameter")
        if let endpoint = try page("finish-endpoint", table) {
            if !table.keys.contains("finish-parameter") {
                try refuse(" \(table.shownName) needs finish-parameter with finish-endpoint, or neither.")
            }
            if table.keys.contains("start") {
                try refuse(" \(table.shownName) starts at its finish-endpoint: leave out start.")
            }
            login.finish = (endpoint, parameter ?? "")
        } else if !table.keys.contains("finish-endpoint"), parameter != nil {
            try refuse(" \(table.shownName) needs finish-endpoint with finish-parameter, or neither.")
        }
        if mistakes?.primaryMistakes == primaryMistakes { try check(table) { try login.config(for: $0) } }
        return login
    }

    private func ecp(_ table: ConfigurationTable) throws(CommandFailure) -> ECPKeys? {
        guard let text = try table.string("ecp") else { return nil }
        let configuration = try attempt { () throws(CommandFailure) in
            do throws(ECPError) {
                return try ECPConfiguration(identityProvider: text) { .kerberos(KerberosLogin()) }
            } catch { throw failure(" ecp in \(table.shownName): \(error.message)") }
        }
        guard let configuration else { return nil }
        let password = try secret(table, "password")
        let username = try table.string("username")
        if password != nil, username == nil { try refuse(" \(table.shownName) has a password and no username.") }
        return ECPKeys(
            identityProvider: configuration.identityProvider,
            basic: username.map { BasicTable(username: $0, password: password ?? .prompt) })
    }

    /// An empty table means: a redirect to a login of OpenID Connect or WS-Federation, or a page that asks for a password.
    func webLogin(_ table: ConfigurationTable) throws(CommandFailure) -> WebLoginTable {
        let primaryMistakes = mistakes?.primaryMistakes
        try table.allow([
            "redirect-to", "status", "header", "value", "password-form", "start", "end", "end-parameter",
        ])
        var login = WebLoginTable()
        for text in try table.stringOrStrings("redirect-to") ?? [] {
            if let page = try attempt({ () throws(CommandFailure) in try address(text, "redirect-to", table) }) {
                login.redirects.append(page)
            }
        }
        for text in try table.stringOrStrings("status") ?? [] {
            guard let status = PeerNumber.integer(text, in: 0...999) else {
                try refuse(" status in \(table.shownName) has to be a number in quotes, such as \"401\".")
                continue
            }
            login.statuses.append(status)
        }
        let value = try table.string("value")
        if let text = try table.string("header") {
            if let name = HTTPField.Name(text) {
                login.header = (name, value)
            } else {
                try refuse(" header in \(table.shownName) cannot be the name of a header field.")
            }
        } else if !table.keys.contains("header"), value != nil {
            try refuse(" \(table.shownName) needs header with value.")
        }
        login.hasPasswordForm = try table.boolean("password-form") ?? false
        login.start = try page("start", table)
        let parameters = try table.stringOrStrings("end-parameter") ?? []
        if let end = try page("end", table) {
            login.end = (end, parameters)
        } else if !table.keys.contains("end"), !parameters.isEmpty {
            try refuse(" \(table.shownName) needs end with end-parameter.")
        }
        if mistakes?.primaryMistakes == primaryMistakes { try check(table) { try login.config(for: $0) } }
        return login
    }

    /// Refuses values that can never work.
    private func check(
        _ table: ConfigurationTable, _ config: (TargetURL) throws -> some Any
    ) throws(CommandFailure) {
        do { _ = try config(TargetURL("https://localhost/")) } catch {
            try refuse(" \(table.shownName): \(Self.reason(error))")
        }
    }

    private func page(_ key: String, _ table: ConfigurationTable) throws(CommandFailure) -> PageAddress? {
        guard let text = try table.string(key) else { return nil }
        return try attempt { () throws(CommandFailure) in try address(text, key, table) }
    }

    private func address(
        _ text: String, _ key: String, _ table: ConfigurationTable
    ) throws(CommandFailure) -> PageAddress {
        if text.hasPrefix("/"), !text.hasPrefix("//") { return .relative(text) }
        return .absolute(try checked(table, key, text) { text throws(ConversationError) in try TargetURL(text) })
    }

    /// An empty table means the names that SAP's mobile servers use.
    func otp(_ table: ConfigurationTable) throws(CommandFailure) -> OTPConfig {
        try table.allow(["header", "value", "parameters", "finish"])
        if table.keys.isEmpty { return .sap }
        guard let header = try table.string("header"), let value = try table.string("value"),
            let finish = try table.string("finish")
        else { throw failure(" \(table.shownName) needs header, value and finish; or nothing at all.") }
        do {
            return try OTPConfig(
                headerName: header, headerValue: value, additionalParameters: try table.string("parameters"),
                finishParameters: finish.split(separator: "&").map(String.init))
        } catch let error as CommandFailure { throw error } catch {
            throw failure(" \(table.shownName): \(Self.reason(error))")
        }
    }

    func answers(_ table: ConfigurationTable) throws(CommandFailure) -> [String: AnswerSource] {
        var answers: [String: AnswerSource] = [:]
        for field in table.keys.sorted() {
            answers[field] = try attempt { () throws(CommandFailure) in try answer(field, table) }
        }
        return answers
    }

    private func answer(_ field: String, _ table: ConfigurationTable) throws(CommandFailure) -> AnswerSource {
        guard let inner = try table.tableOrString(field) else {
            // Any answer may be a secret.
            if !isPrivate {
                try refuse(
                    " it holds an answer (\(TerminalText.sanitise(field))) and others can read it. "
                        + "Run: chmod 600 \(shownPath) – or use { env = \"…\" }.")
            }
            return .text(.literal(Redacted(try table.string(field) ?? "")))
        }
        let known = Self.sources + Self.sources.map { "totp-\($0)" }
        try inner.allow(known)
        let texts = try places(inner, "")
        let codes = try places(inner, "totp-")
        guard texts.count + codes.count == 1 else {
            throw failure(" \(inner.shownName) needs one of \(known.joined(separator: ", ")).")
        }
        return texts.first.map { .text($0) } ?? .totp(codes[0])
    }

    private static func reason(_ error: any Error) -> String {
        (error as? WebLoginError)?.message ?? (error as? ConversationError)?.message ?? "it cannot be used."
    }
}
