import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConvFormats
import HttpConversation

/// Decides what to do on a page: send a form by itself, ask for its fields, or follow a link.
struct FormNavigator: Sendable {
    let login: WebLogin
    let prompter: (any FormPrompter)?
    let singleUse: SingleUseAnswers?
    let origins: NamedOrigins
    let sent: SentForms
    let clock: any Clock<Duration> & Sendable
    let time: LoginPageTime

    init(
        login: WebLogin, prompter: (any FormPrompter)?, singleUse: SingleUseAnswers?, origins: NamedOrigins,
        sent: SentForms, clock: any Clock<Duration> & Sendable, time: LoginPageTime
    ) {
        self.login = login
        self.prompter = prompter.map { HidingPrompter(prompter: $0, sent: sent, answers: singleUse) }
        self.singleUse = singleUse
        self.origins = origins
        self.sent = sent
        self.clock = clock
        self.time = time
    }

    /// The longest refresh delay in seconds. Longer ones are reminders that a session ends, not steps of a login.
    private static let longestRefresh = 30

    /// The next navigation from a page.
    ///
    /// A page may repeat what was entered in each text of it, such as the name of a field.
    func next(after page: LoadedPage) async throws -> Navigation {
        try await hidingSecrets { try await step(after: page) }
    }

    /// Does a part of the login, whose error has no secrets that were entered.
    func hidingSecrets<Result>(
        _ work: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do { return try await work() } catch let error as WebLoginError {
            throw error.replacingTexts { hidingSecrets($0, mayBeCut: $1) }
        }
    }

    private func step(after page: LoadedPage) async throws -> Navigation {
        var page = page
        page.html = page.html.showingPasswords(where: isWantedAhead)
        let all = page.html.forms.filter(\.isUsable)
        let (forms, scripted) = (all.filter { !$0.isForScripts }, all.filter(\.isForScripts))
        if let message = try selfSubmitting(page) { return message }
        // A search field with the name of a secret does not count, unless an answer is for it.
        let secret = scripted.first { $0.isMarkedAsSecret || $0.asksForSecret && isPrepared($0) }
        var refused: WebLoginError?
        let usable = forms.filter { form in
            do throws(WebLoginError) {
                _ = try FormSubmission(form, button: form.usualButton, on: page, for: login)
                return true
            } catch {
                refused = error
                return false
            }
        }
        // A page that waits, such as for an approval on a phone, may be cancelled by its only button.
        // A login form that reloads itself does not lead on.
        let mayReload = secret == nil || page.html.refresh?.url != nil
        if usable.allSatisfy(\.onlyRefuses), mayReload, let refresh = try await refresh(page) {
            return refresh
        }
        if let form = scripted.first, !usable.isEmpty, isRather(scripted, than: usable) {
            throw unsent(form, on: page)
        }
        guard usable.isEmpty else {
            // A form without its end may lack fields.
            guard !page.html.isCutOff else { throw tooLarge(page) }
            return try await FormFiller(navigator: self, page: page).fill(usable)
        }
        let links = links(of: page)
        // Nothing on the page can be used here. An error page seldom has more to show in a browser.
        if links.isEmpty, page.html.hasScripts, page.status < 400 || [401, 403].contains(page.status) {
            throw needsScripts(page)
        }
        if let refused { throw refused }
        if let form = secret ?? scripted.first, links.isEmpty || secret != nil && !page.html.hasScripts {
            throw unsent(form, on: page)
        }
        return try await choose(among: links, on: page)
    }

    /// Whether the forms for this login are those that only a script can send: the prepared answers are for one of
    /// them, or all usable forms only ask for texts, such as a search.
    private func isRather(_ scripted: [HTMLForm], than usable: [HTMLForm]) -> Bool {
        if let best = singleUse?.preferred(usable + scripted) { return best >= usable.count }
        return scripted.contains(where: \.isMarkedAsSecret)
            && usable.allSatisfy { form in form.asksForText && !form.fields.contains { $0.kind == .password } }
    }

    private func unsent(_ form: HTMLForm, on page: LoadedPage) -> WebLoginError {
        form.isLeftToScripts || form.hasNamelessPassword || page.html.hasScripts
            ? needsScripts(page) : FormSubmission.secretInURL(on: page)
    }

    /// Whether to fill in a password field that a script would show: once, since later steps of one form hide it, too.
    private func isWantedAhead(_ password: HTMLField) -> Bool {
        if let singleUse, singleUse.knows(password) { return singleUse.hasUnused(singleUse.name(for: password)) }
        return prompter != nil && !sent.hasSecrets
    }

    /// Shows a page before its questions.
    ///
    /// - Parameter refusal: the page's reason if it asks again; nil if it does not
    func show(_ page: LoadedPage, refusal: String? = nil) async throws {
        guard let prompter else { return }
        let html = page.html
        var shown = FormPage(
            purpose: login.purpose, origin: page.url.origin, title: TerminalText.sanitise(hidingSecrets(html.title)),
            alert: TerminalText.sanitise(hidingSecrets(refusal ?? html.alert)),
            text: TerminalText.sanitise(hidingSecrets(html.text), limit: 400))
        shown.isAgain = refusal != nil
        try await prompter.show(shown)
    }

    /// The page's message, sanitised, without the secrets that were entered.
    func message(of page: LoadedPage) -> String { TerminalText.sanitise(hidingSecrets(page.html.message)) }

    /// A page's text without the secrets that were entered: some pages repeat them.
    func hidingSecrets(_ text: String, mayBeCut: Bool = true) -> String {
        sent.hidingSecrets(text, with: singleUse, mayBeCut: mayBeCut)
    }

    /// Whether there is an answer for one of a form's fields or buttons.
    func isPrepared(_ form: HTMLForm) -> Bool {
        guard let singleUse else { return false }
        return form.visible.contains { singleUse.knows($0.field) }
            || form.buttons.contains(where: singleUse.presses)
    }

    // MARK: Without asking

    private func selfSubmitting(_ page: LoadedPage) throws -> Navigation? {
        let submissions = page.html.forms.enumerated().compactMap { index, form in
            (try? FormSubmission(form, on: page, for: login)).map { (index, $0) }
        }
        for (index, submission) in submissions where submission.leadsOnByItself {
            if submissions.contains(where: { $0 != index && isAlternative($1, to: submission) }) { continue }
            guard !page.html.isCutOff else { throw tooLarge(page) }
            return try submission.navigation([:], for: nil)
        }
        return nil
    }

    /// Whether a form is an alternative to a message that could be sent without asking: another message, a form with
    /// prepared answers, or a form that a person could fill in.
    private func isAlternative(_ submission: FormSubmission, to message: FormSubmission) -> Bool {
        let form = submission.form
        guard form.isUsable else { return false }
        if submission.isLoginMessage { return !submission.sendsTheSame(as: message) }
        guard prompter == nil else { return form.method == .post && form.asksForText }
        return isPrepared(form)
            && singleUse?.allows(page: message.page.url.origin, action: submission.action.origin) == true
    }

    private func refresh(_ page: LoadedPage) async throws -> Navigation? {
        guard let refresh = page.html.refresh, refresh.delay <= Self.longestRefresh else { return nil }
        let destination: Destination =
            if let url = refresh.url {
                try Reference.resolve(url, on: Reference.base(of: page), for: login)
            } else {
                .page(page.url)
            }
        // A page that waits may name the number to confirm.
        if refresh.delay > 0 || page.html.forms.contains(where: \.isUsable), sent.isNew(page.html.text) {
            try await show(page)
        }
        Waiting.announce("for the page of \(page.url.origin), which goes on by itself", .seconds(refresh.delay))
        if refresh.delay > 0 {
            try await time.spend(for: login) { limit in
                try await clock.sleep(for: min(.seconds(refresh.delay), limit))
            }
        }
        var navigation = Navigation(to: destination, from: page.url.origin)
        navigation.hasWaited = refresh.delay > 0
        navigation.isForScriptless = refresh.isForScriptless && page.html.hasScripts
        return navigation
    }

    // MARK: Links

    private typealias Link = (label: String, destination: Destination)

    /// The links that may lead on. On a page with scripts only links for browsers without scripts count, and links that
    /// end the login. The others are help and imprint around content that a script would show.
    private func links(of page: LoadedPage) -> [Link] {
        page.html.links.compactMap { link in
            guard !link.href.hasPrefix("#"),
                let destination = try? Reference.resolve(link.href, on: Reference.base(of: page), for: login)
            else { return nil }
            if case .page(let target) = destination {
                if page.html.hasScripts, !link.isForScriptless { return nil }
                // For browsers without scripts, pages also link to help on other servers.
                if page.html.hasScripts || page.isForScriptless, target.origin != page.url.origin { return nil }
            }
            return (TerminalText.sanitise(link.text.isEmpty ? link.href : link.text, limit: 80), destination)
        }
    }

    /// Whether a link may be followed without a decision: it neither leaves nor gives consent, or it ends the login.
    private static func isWayOn(_ link: Link) -> Bool {
        guard case .page = link.destination else { return true }
        return !PageWords.decides(link.label)
    }

    private func choose(among links: [Link], on page: LoadedPage) async throws -> Navigation {
        guard !links.isEmpty, page.status < 400 else { throw deadEnd(page) }
        guard let prompter else {
            // A single link is the way on. With several, there is no person to choose.
            guard links.count == 1, Self.isWayOn(links[0]), !leaves(links[0], page) else {
                throw deadEnd(page, links)
            }
            return Navigation(to: links[0].destination, from: page.url.origin)
        }
        try await show(page)
        let labels = links.map { label(of: $0, on: page) }
        let choice = try await prompter.choose(
            "Where to go on", for: page.url.origin, from: labels,
            selected: links.count == 1 && Self.isWayOn(links[0]) ? [0] : [], allowsSeveral: false)
        guard let index = choice.first, links.indices.contains(index) else { throw deadEnd(page) }
        return Navigation(to: links[index].destination, from: page.url.origin)
    }

    private func leaves(_ link: Link, _ page: LoadedPage) -> Bool {
        if case .page(let target) = link.destination { target.origin != page.url.origin } else { false }
    }

    private func label(of link: Link, on page: LoadedPage) -> String {
        guard case .page(let target) = link.destination, leaves(link, page) else { return link.label }
        return "\(link.label) (at \(target.origin))"
    }

    // MARK: Errors

    /// - Parameter links: the links that nobody is there to choose from
    private func deadEnd(_ page: LoadedPage, _ links: [Link] = []) -> WebLoginError {
        if page.isForScriptless { return needsScripts(page) }
        let labels = links.prefix(5).map { "\"\(hidingSecrets(label(of: $0, on: page)))\"" }.joined(separator: ", ")
        let more = links.count > 5 ? " and more" : ""
        let choice =
            links.isEmpty
            ? ""
            : " Only a person may follow its links: \(labels)\(more). Let a person choose (httpc: at a terminal, or --web chromium), or begin the login at a URL that leads past this page (httpc: start in the profile)."
        let frames =
            " It shows another page in a frame, which a terminal does not: show the login in a browser instead (httpc: --web chromium)."
        let obstacle =
            page.obstacle.map { " A browser shows no form there: \($0)." } ?? (page.html.hasFrames ? frames : "")
        return WebLoginError(
            .pageFailed,
            "The \(login) ended at a page of \(page.url.origin) with status \(page.status) and no form to go on with.\(obstacle)\(choice)",
            pageText: message(of: page))
    }

    private func needsScripts(_ page: LoadedPage) -> WebLoginError {
        WebLoginError(
            .unsupportedPage,
            "The page at \(page.url.origin) needs JavaScript, which a terminal does not run: show the \(login) in a browser instead (httpc: --web chromium, or --headless with prepared answers).",
            pageText: message(of: page))
    }

    private func tooLarge(_ page: LoadedPage) -> WebLoginError {
        WebLoginError(
            .unsupportedPage, "The page at \(page.url.origin) is too large to be shown as questions.",
            pageText: message(of: page))
    }
}
