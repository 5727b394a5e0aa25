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
        diagnostics.message("because of the answers, a page that asks for a password counts as its login.")
        try await addOrigins(to: &draft, nil)
        draft.set("password-form", .flag(true), in: "web-login")
        try await addGivenAnswers(to: &draft)
    }

    /// Adds a login for a server that refuses the URL without saying how to log in, and that the answers are for.
    ///
    /// - Parameters:
    ///   - code: the status of the refusal
    ///   - link: the login page that the refusal links to, at the same origin; nil if there is none
    func addPages(
        to draft: inout ProfileDraft, refusedWith code: Int, _ link: TargetURL?
    ) async throws(CommandFailure) {
        let known = link.flatMap { $0.requestTarget.utf8.count <= 1000 ? $0 : nil }
        let start = if let known { known } else { try await startOfSite(code) }
        diagnostics.message(
            "because of the answers, status \(code) counts as a demand for the login at \(TerminalText.sanitise(start.absoluteString))."
        )
        try await addOrigins(to: &draft, nil)
        draft.set("status", "\(code)", in: "web-login")
        draft.set("start", start.requestTarget, in: "web-login")
        try await addGivenAnswers(to: &draft)
    }

    /// The login page that the site's own start page is, or links to. The answers that the options name fields for may
    /// be for the start page anyway.
    private func startOfSite(_ code: Int) async throws(CommandFailure) -> TargetURL {
        let found = try await probe.atRoot()
        if case .page(let login)? = found?.demand, login.provider == nil || login.provider == target.origin {
            return target.root
        }
        if let link = found?.loginLink, found?.url.origin == target.origin, link.requestTarget.utf8.count <= 1000 {
            return link
        }
        guard plan.web.answers.isEmpty else { return target.root }
        throw CommandFailure(
            .loginFailed,
            "\(target.origin) answered \(code) and did not say how to log in, and its start page has no login form and no link to one: name the URL of its login page.\(FailureAdvice.basicAhead(at: target.origin)) Nothing was written."
        )
    }

    private func addGivenAnswers(to draft: inout ProfileDraft) async throws(CommandFailure) {
        for (field, source) in plan.web.answers.sorted(by: { $0.key < $1.key }) {
            draft.set(field, Self.value(source), in: "answers")
        }
        if formLogin(draft) != nil {
            // The pages name the fields for them.
            draft.isUnattended = true
            draft.set("web", Profile.ViewerChoice.terminal.rawValue)
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
            !draft.answerOrigins.contains(provider.description)
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
        if plan.web.isHeadless || plan.web.kind == .headless {
            // Nobody sees these pages.
            if questions.isAttended { draft.isUnattended = true }
            return draft.set("web", Profile.ViewerChoice.headless.rawValue)
        }
        if let kind = plan.web.kind { return draft.set("web", kind.rawValue) }
        guard questions.isAttended, !draft.has("web"), !draft.isUnattended else { return }
        let usual = canListen ? "my own browser" : "a browser window if there is a display, else this terminal"
        let choice = try await questions.choose(
            "Where do you want to see login pages?",
            [usual, "always this terminal", "always a window of Chromium"]
                + (canListen ? [] : ["nowhere: answers of the profile, variables, files or programs"]))
        draft.isUnattended = choice == 3
        draft.set("web", [nil, "terminal", "chromium", "terminal"][choice])
    }

    // MARK: Answers

    /// Adds answers for the fields that a page has named. The options' user name and password answer one field each, if
    /// only one field can be meant; the person answers all others. The fields' names are a peer's text.
    func addAnswers(
        to draft: inout ProfileDraft, _ fields: [WebLoginError.MissingField]
    ) async throws(CommandFailure) {
        if FailureAdvice.wantsNewPassword(fields) {
            throw CommandFailure(.loginFailed, FailureAdvice.newPassword + " Nothing was written.")
        }
        try await addButton(to: &draft, fields.filter { $0.purpose == .button })
        for field in fields where field.purpose != .button {
            let shown = "\"\(TerminalText.sanitise(field.name, limit: 40))\""
            if let given = given(for: field, among: fields, draft), !draft.holds(given, in: "answers") {
                draft.set(field.name, given, in: "answers")
                continue
            }
            if field.isFilledIn { continue }
            let value: ProfileDraft.Value?
            switch try await kind(of: field, shown) {
            case .secret:
                let place = try await secretPlace(of: "the answer for \(shown)", draft.name, field.name)
                value = place.flatMap { Self.value(.text($0)) }
            case .code:
                let place = try await secretPlace(
                    of: "the base32 secret of the one-time codes for \(shown)", draft.name, field.name)
                value = place.flatMap { Self.value(.totp($0)) }
            case .choice where !field.choices.isEmpty:
                let choices = Array(field.choices.prefix(20))
                let index = try await questions.decide(
                    "Which one for \(shown)?", choices.map { TerminalText.sanitise($0, limit: 60) })
                value = index.map { .text(choices[$0]) }
            case .text, .choice: value = try await questions.text("Answer for \(shown)").map { .text($0) }
            }
            guard let value else {
                throw CommandFailure(
                    .usage,
                    "There is no answer for \(shown): add \(FailureAdvice.option(for: field)). Nothing was written.")
            }
            draft.set(field.name, value, in: "answers")
        }
    }

    /// Adds an answer that presses one of a page's buttons. Only a person or an option decides (security rule S14).
    private func addButton(
        to draft: inout ProfileDraft, _ buttons: [WebLoginError.MissingField]
    ) async throws(CommandFailure) {
        guard !buttons.isEmpty else { return }
        let labels = buttons.map { TerminalText.sanitise($0.label.isEmpty ? $0.name : $0.label, limit: 60) }
        guard let index = try await questions.decide("The page wants a decision. Which button?", labels) else {
            let options = buttons.map { FailureAdvice.option(for: $0) }.joined(separator: ", or ")
            let quoted = labels.map { "\"\($0)\"" }.joined(separator: ", ")
            throw CommandFailure(
                .usage, "The page wants a decision (\(quoted)): add \(options). Nothing was written.")
        }
        let button = buttons[index]
        let values = buttons.filter { $0.name == button.name }
        // Without values the label tells buttons of one name apart.
        let value = button.choices.first ?? ""
        let isOnly = values.count { $0.choices.first ?? "" == value } == 1
        draft.set(button.name, isOnly ? value : button.label, in: "answers")
    }

    /// The user name or the password of the options; nil if the field is for something else, or not the only one.
    private func given(
        for field: WebLoginError.MissingField, among fields: [WebLoginError.MissingField], _ draft: ProfileDraft
    ) -> ProfileDraft.Value? {
        guard field.purpose == .login, let login = formLogin(draft),
            fields.count(where: { $0.kind == field.kind }) == 1
        else { return nil }
        return switch field.kind {
        case .text: .text(login.user)
        case .secret: Self.value(.text(login.password))
        default: nil
        }
    }

    /// The user name and the password of the options; nil if a challenge or an authorization server gets them.
    private func formLogin(_ draft: ProfileDraft) -> (user: String, password: SecretSource)? {
        draft.hasKeys(in: "basic") || draft.hasKeys(in: "oauth2") ? nil : settings.login
    }

    /// The kind of answer for a field. Some servers call the field of a password "passcode", too.
    private func kind(
        of field: WebLoginError.MissingField, _ shown: String
    ) async throws(CommandFailure) -> WebLoginError.MissingField.Kind {
        guard field.kind == .code, questions.isAttended, field.name.lowercased().contains("passcode") else {
            return field.kind
        }
        let index = try await questions.choose("What is \(shown) for?", ["a one-time code", "a password"])
        return index == 0 ? .code : .secret
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
    ) async throws(CommandFailure) -> SecretSource? {
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
                SecretSource.problem(ofFile: Self.absolute($0)).map { "It cannot be used: \($0)." }
            }
            return path.map { .file(Self.absolute($0)) }
        case .program:
            let line = try await questions.text("Command, such as pass show work") {
                SecretSource(commandLine: $0) == nil ? "A quote in it has no end." : nil
            }
            return line.flatMap { SecretSource(commandLine: $0) }
        case .keyring:
            let entry = try await questions.text("Name in the key ring", default: name) {
                SecretSource(keyringEntry: $0) == nil ? "It has to be a name, or attributes as a=b,c=d." : nil
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
    static func setting(_ place: SecretSource) -> (end: String, value: ProfileDraft.Value)? {
        switch place {
        case .environment(let variable): ("env", .text(variable))
        case .file(let path): ("file", .text(absolute(path)))
        case .command(let words): ("command", .texts(words))
        case .keyring(let entry): ("keyring", .text(entry))
        case .literal, .prompt: nil
        }
    }
}
