import HttpC
import HttpCTerminal

/// `[profiles.NAME.saml2]`, `[profiles.NAME.otp]` and `[profiles.NAME.answers]`.
extension ProfileParser {
    func saml2(_ table: ConfigurationTable) throws(CommandFailure) -> SAML2Login {
        try table.allow(["header", "finish-endpoint", "finish-parameter"])
        guard let endpoint = try table.string("finish-endpoint"), let parameter = try table.string("finish-parameter")
        else { throw failure(" \(table.shownName) needs finish-endpoint and finish-parameter.") }
        let login = SAML2Login(
            header: try table.string("header"), finishEndpoint: try finishEndpoint(endpoint, table),
            finishParameter: parameter)
        // Values that can never work are refused at once.
        do { _ = try login.config(for: TargetURL("https://localhost/")) } catch {
            throw failure(" \(table.shownName): \(Self.reason(error))")
        }
        return login
    }

    private func finishEndpoint(
        _ text: String, _ table: ConfigurationTable
    ) throws(CommandFailure) -> SAML2Login.FinishEndpoint {
        if text.hasPrefix("/"), !text.hasPrefix("//") { return .relative(text) }
        return .absolute(
            try checked(table, "finish-endpoint", text) { text throws(ConversationError) in try TargetURL(text) })
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
        for field in table.keys.sorted() { answers[field] = try answer(field, table) }
        return answers
    }

    private func answer(_ field: String, _ table: ConfigurationTable) throws(CommandFailure) -> AnswerSource {
        guard let inner = try table.tableOrString(field) else {
            // Any answer may be a secret.
            guard isPrivate else {
                throw failure(
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
