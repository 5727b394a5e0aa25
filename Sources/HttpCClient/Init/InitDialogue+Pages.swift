import HttpC
import HttpCTerminal
import HttpConvFormats

/// The questions about logins on web pages.
extension InitDialogue {
    func addPages(to draft: inout ProfileDraft, _ login: RecognizedLogin) async throws(CommandFailure) {
        try await addOrigins(to: &draft, login.provider)
        draft.add(login)
        try await addStart(to: &draft, login)
        try await addGivenAnswers(to: &draft)
    }

    /// Adds a login that was not recognised, and that the answers are for.
    func addPages(to draft: inout ProfileDraft) async throws(CommandFailure) {
        diagnostics.message("because of the answers, a page with a password field counts as its login.")
        try await addOrigins(to: &draft, nil)
        draft.set("password-form", .flag(true), in: "web-login")
        try await addGivenAnswers(to: &draft)
    }

    private func addGivenAnswers(to draft: inout ProfileDraft) async throws(CommandFailure) {
        for (field, source) in plan.web.answers.sorted(by: { $0.key < $1.key }) {
            draft.set(field, Self.value(source), in: "answers")
        }
        try await addViewer(to: &draft, canListen: false)
    }

    /// Prefer the service provider's start page: it also works for requests other than GET, and for sites with public
    /// pages.
    private func addStart(to draft: inout ProfileDraft, _ login: RecognizedLogin) async throws(CommandFailure) {
        guard login.kind != .oneTimeCode, let product = login.product, product != .sap,
            let start = product.start(for: target)
        else { return }
        let choice = try await questions.choose(
            "Where does a login start?",
            ["at the page that wants it", "at \(start.root)\(start.path.dropFirst()), the start page of \(product)"])
        if choice == 1 { draft.set("start", start.requestTarget, in: login.kind == .saml2 ? "saml2" : "web-login") }
    }

    /// Answers go to the servers of the profile only. An identity provider elsewhere is named after a person has
    /// confirmed it, or with --answer-origin (security rule S33).
    private func addOrigins(to draft: inout ProfileDraft, _ provider: Origin?) async throws(CommandFailure) {
        var others = plan.web.answerOrigins
        if let provider, provider != target.origin, !others.contains(provider),
            !draft.texts("answer-origins").contains(provider.description)
        {
            guard questions.isAttended else {
                throw CommandFailure(
                    .usage,
                    "\(target.origin) leads to login pages of \(provider), another server. If that is the right one, add --answer-origin \(provider)"
                )
            }
            guard try await questions.confirm("Its login pages are at \(provider). Is that where you log in?") else {
                throw CommandFailure(.loginFailed, "Nothing was written, because the login leads to \(provider).")
            }
            others.append(provider)
        }
        draft.add(answerOrigins: others, besides: target.origin)
    }

    /// The pages' viewer, and whether the profile has the answers.
    func addViewer(to draft: inout ProfileDraft, canListen: Bool) async throws(CommandFailure) {
        if let kind = plan.web.kind { return draft.set("web", kind.rawValue) }
        guard questions.isAttended, !draft.has("web"), !draft.isUnattended else { return }
        let usual = canListen ? "my own browser" : "a browser window if there is a display, else this terminal"
        let choice = try await questions.choose(
            "Where do you want to see login pages?",
            [usual, "always this terminal", "always a window of Chromium"]
                + (canListen ? [] : ["nowhere: the profile gets the answers, or where they come from"]))
        draft.isUnattended = choice == 3
        draft.set("web", [nil, "terminal", "chromium", "terminal"][choice])
    }

    // MARK: Answers

    /// Asks for the answers of fields, which a page has named. Their names are a peer's text.
    func addAnswers(
        to draft: inout ProfileDraft, _ fields: [WebLoginError.MissingField]
    ) async throws(CommandFailure) {
        for field in fields {
            let shown = "\"\(TerminalText.sanitise(field.name, limit: 40))\""
            let value: ProfileDraft.Value?
            switch field.kind {
            case .secret:
                let place = try await secretPlace(of: "the answer for \(shown)", draft.name, field.name)
                value = place.flatMap { Self.value(.text($0)) }
            case .code:
                let place = try await secretPlace(
                    of: "the base32 secret of the one-time codes for \(shown)", draft.name, field.name)
                value = place.flatMap { Self.value(.totp($0)) }
            case .choice where !field.choices.isEmpty:
                let choices = Array(field.choices.prefix(20))
                let index = try await questions.choose(
                    "Which one for \(shown)?", choices.map { TerminalText.sanitise($0, limit: 60) })
                value = .text(choices[index])
            case .text, .choice: value = try await questions.text("Answer for \(shown)").map { .text($0) }
            }
            guard let value else {
                throw CommandFailure(.usage, "There is no answer for \(shown). Nothing was written.")
            }
            draft.set(field.name, value, in: "answers")
        }
    }

    private static func value(_ source: AnswerSource) -> ProfileDraft.Value? {
        switch source {
        case .text(.literal(let text)): .text(text.value)
        case .text(let place): setting(place).map { .table($0.end, $0.value) }
        case .totp(let place): setting(place).map { .table("totp-\($0.end)", $0.value) }
        }
    }

    // MARK: Places of secrets

    /// A place of a secret, as a person chooses it.
    private enum Place: CaseIterable {
        case question, variable, file, program, keyring

        var words: String {
            switch self {
            case .question: "I type it each time"
            case .variable: "an environment variable"
            case .file: "a file that only I can read"
            case .program: "a program that prints it, such as a password manager"
            case .keyring: "the desktop's key ring"
            }
        }
    }

    /// Asks where a secret comes from.
    ///
    /// - Parameters:
    ///   - secret: the secret in words, with an article
    ///   - name: the profile's name
    ///   - key: the end of the usual variable's name
    ///   - canBeTyped: whether it may be asked for at each login
    /// - Returns: nil for a question at each login, and without a person
    func secretPlace(
        of secret: String, _ name: String, _ key: String, canBeTyped: Bool = false
    ) async throws(CommandFailure) -> PasswordSource? {
        guard questions.isAttended else { return nil }
        let places = Place.allCases.filter { canBeTyped || $0 != .question }
        switch places[try await questions.choose("Where does \(secret) come from?", places.map(\.words))] {
        case .question: return nil
        case .variable:
            let usual = "\(name)_\(key)".uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
            let variable = try await questions.text("Name of the variable", default: String(usual.prefix(40))) { name in
                name.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
                    ? nil : "A variable's name has letters, digits and _ only."
            }
            return variable.map { .environment($0) }
        case .file:
            let path = try await questions.text("Path of the file") {
                PasswordSource.problem(ofFile: Self.absolute($0)).map { "It cannot be used: \($0)." }
            }
            return path.map { .file(Self.absolute($0)) }
        case .program:
            let line = try await questions.text("Command, such as pass show work") {
                PasswordSource(commandLine: $0) == nil ? "A quote in it has no end." : nil
            }
            return line.flatMap { PasswordSource(commandLine: $0) }
        case .keyring:
            let entry = try await questions.text("Name in the key ring", default: name) {
                PasswordSource(keyringEntry: $0) == nil ? "It has to be a name, or attributes as a=b,c=d." : nil
            }
            guard let entry else { return nil }
            if !entry.contains("=") {
                let word = ShellWords.word(entry)
                diagnostics.message(
                    "to store it there: secret-tool store --label=\(word) service httpc key \(word)")
            }
            return .keyring(entry)
        }
    }

    /// The end of the key for a secret's place, and its value; nil for secrets without a place.
    static func setting(_ place: PasswordSource) -> (end: String, value: ProfileDraft.Value)? {
        switch place {
        case .environment(let variable): ("env", .text(variable))
        case .file(let path): ("file", .text(absolute(path)))
        case .command(let words): ("command", .texts(words))
        case .keyring(let entry): ("keyring", .text(entry))
        case .literal, .prompt: nil
        }
    }
}
