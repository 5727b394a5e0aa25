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

    /// The longest refresh delay in seconds. Longer ones are reminders that a session ends, not steps of a login.
    private static let longestRefresh = 30

    /// The next navigation from a page.
    func next(after page: LoadedPage) async throws -> Navigation {
        let page = LoadedPage(
            url: page.url, status: page.status,
            html: page.html.showingPasswords(where: isWantedAhead))
        let forms = page.html.forms.filter(\.isUsable)
        if let message = try selfSubmitting(page) { return message }
        var refused: WebLoginError?
        let usable = forms.filter { form in
            do throws(WebLoginError) {
                _ = try FormSubmission(form, button: form.buttons.first, on: page, for: login)
                return true
            } catch {
                refused = error
                return false
            }
        }
        // A page that waits, such as for an approval on a phone, may be cancelled by its only button.
        if usable.allSatisfy(\.onlyRefuses), let refresh = try await refresh(page) {
            return refresh
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
        return try await choose(among: links, on: page)
    }

    /// Whether to fill in a password field that a script would show: once, since later steps of one form hide it, too.
    private func isWantedAhead(_ password: HTMLField) -> Bool {
        if let singleUse, singleUse.knows(password.name ?? "") { return singleUse.hasUnused(password.name ?? "") }
        return prompter != nil && !sent.hasSecrets
    }

    /// Shows a page before its questions.
    ///
    /// - Parameter refusal: the page's reason if it asks again; nil if it does not
    func show(_ page: LoadedPage, refusal: String? = nil) async throws {
        guard let prompter else { return }
        let html = page.html
        var shown = FormPage(
            purpose: login.purpose, origin: page.url.origin, title: TerminalText.sanitise(html.title),
            alert: TerminalText.sanitise(hidingSecrets(refusal ?? html.alert)),
            text: TerminalText.sanitise(hidingSecrets(html.text), limit: 400))
        shown.isAgain = refusal != nil
        try await prompter.show(shown)
    }

    /// The page's message, sanitised, without the secrets that were entered.
    func message(of page: LoadedPage) -> String { hidingSecrets(page.message) }

    /// A page's text without the secrets that were entered: some pages repeat them.
    func hidingSecrets(_ text: String) -> String { sent.hidingSecrets(singleUse?.hidingSecrets(text) ?? text) }

    /// Whether there is an answer for one of a form's fields or buttons.
    func isPrepared(_ form: HTMLForm) -> Bool {
        guard let singleUse else { return false }
        return (form.visible.map(\.field) + form.buttons).contains { singleUse.knows($0.name ?? "") }
    }

    // MARK: Without asking

    private func selfSubmitting(_ page: LoadedPage) throws -> Navigation? {
        let forms = page.html.forms
        for (index, form) in forms.enumerated() {
            let submission = try? FormSubmission(form, on: page, for: login)
            guard let submission, submission.leadsOnByItself else { continue }
            if forms.indices.contains(where: { $0 != index && isAlternative(forms[$0], to: submission) }) { continue }
            guard !page.html.isCutOff else { throw tooLarge(page) }
            return try submission.navigation([:], for: nil)
        }
        return nil
    }

    /// Whether a form is another way on than a message that could be sent without asking: another message, the form
    /// that prepared answers are for, or one that a person could fill in.
    private func isAlternative(_ form: HTMLForm, to message: FormSubmission) -> Bool {
        let page = message.page
        guard form.isUsable, let submission = try? FormSubmission(form, on: page, for: login) else { return false }
        if submission.isLoginMessage { return !submission.sendsTheSame(as: message) }
        guard prompter == nil else { return form.method == .post && form.asksForText }
        return isPrepared(form) && singleUse?.allows(page: page.url.origin, action: submission.action.origin) == true
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
            if case .page = destination, page.html.hasScripts, !link.isForScriptless { return nil }
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
            guard links.count == 1, Self.isWayOn(links[0]) else { throw deadEnd(page) }
            if case .page(let target) = links[0].destination, target.origin != page.url.origin { throw deadEnd(page) }
            return Navigation(to: links[0].destination, from: page.url.origin)
        }
        try await show(page)
        let labels = links.map { link in
            if case .page(let target) = link.destination, target.origin != page.url.origin {
                return "\(link.label) (at \(target.origin))"
            }
            return link.label
        }
        let choice = try await prompter.choose(
            "Where to go on", for: page.url.origin, from: labels,
            selected: links.count == 1 && Self.isWayOn(links[0]) ? [0] : [], allowsSeveral: false)
        guard let index = choice.first, links.indices.contains(index) else { throw deadEnd(page) }
        return Navigation(to: links[index].destination, from: page.url.origin)
    }

    // MARK: Errors

    private func deadEnd(_ page: LoadedPage) -> WebLoginError {
        WebLoginError(
            .pageFailed,
            "The \(login) ended at a page of \(page.url.origin) with status \(page.status) and no form to go on with.",
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
