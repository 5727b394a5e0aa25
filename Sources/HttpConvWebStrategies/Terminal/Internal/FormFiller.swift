import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// Fills in one form of a page, from prepared answers and by asking.
struct FormFiller: Sendable {
    let navigator: FormNavigator
    let page: LoadedPage

    private var singleUse: SingleUseAnswers? { navigator.singleUse }
    private var prompter: (any FormPrompter)? { navigator.prompter }

    /// The navigation that sends one of these forms.
    func fill(_ forms: [HTMLForm]) async throws -> Navigation {
        let refusal = navigator.sent.refusal(on: page, forms, hiding: { navigator.hidingSecrets($0) })
        try await navigator.show(page, refusal: refusal)
        let forms = try permitted(forms)
        guard let number = singleUse?.preferred(forms) else {
            switch PagePurpose(of: page.html, forms, isAttended: prompter != nil) {
            case .interstitial(let form):
                guard prompter != nil || !page.html.endsSession else { throw nothingToSend }
                return try await send(form, form.buttons.first)
            case .reminder(let form, let refusal): return try await send(form, refusal)
            case .decision: return try await decide(forms)
            case .questions: return try await fill(try await choose(try answerable(forms)), refusal)
            }
        }
        return try await fill(forms[number], refusal)
    }

    // MARK: Without a person

    /// The forms that may be sent: on a page for people who are logged in none with a password, unless it calls itself
    /// a login, because some sites have a link to log out on every page.
    private func permitted(_ forms: [HTMLForm]) throws(WebLoginError) -> [HTMLForm] {
        guard prompter == nil, page.html.endsSession else { return forms }
        let permitted = forms.filter {
            $0.isNamedLogin || !LoggedInPage.asksForPassword(AskingForm($0, singleUse).fields, singleUse)
        }
        guard permitted.count == forms.count || permitted.contains(where: navigator.isPrepared) else {
            throw LoggedInPage.passwordRefused(at: page.url.origin, pageText: navigator.message(of: page))
        }
        return permitted
    }

    /// The forms without a prepared answer that a login may go on with, after the error about what is missing: no
    /// search, and on a page for people who are logged in none at all.
    private func answerable(_ forms: [HTMLForm]) throws(WebLoginError) -> [HTMLForm] {
        guard prompter == nil else { return forms }
        guard !page.html.endsSession else {
            let asking = forms.filter { form in
                !form.isSearch && !form.fields.contains { $0.kind == .textArea }
            }
            let missing = LoggedInPage.demanded(by: asking.map { AskingForm($0, singleUse).fields })
            guard !missing.isEmpty else { throw nothingToSend }
            throw SingleUseAnswers.missing(
                missing.map { $0.missing() }, on: page.url.origin, pageText: navigator.message(of: page))
        }
        guard forms.contains(where: \.isSearch) else { return forms }
        // Beside a search, a button is no way on, but a part of the site.
        let others = forms.filter { !$0.isSearch && ($0.asksForText || $0.wantsFile) }
        guard others.isEmpty else { return others }
        let searches = forms.filter(\.isSearch)
        let texts = searches.flatMap(\.visible).map(\.field).filter(\.isText)
        guard singleUse?.hasBegun != true, texts.allSatisfy({ $0.value?.isEmpty != false }) else { throw nothingToSend }
        return searches
    }

    private var nothingToSend: WebLoginError {
        let hint = page.html.endsSession ? " It has a link or button to log out." : ""
        return WebLoginError(
            .pageFailed,
            "The \(navigator.login) ended at a page of \(page.url.origin) with status \(page.status) and no form that the prepared answers are for. Without a person no other one is sent.\(hint)",
            pageText: navigator.message(of: page))
    }

    // MARK: Sending

    /// Sends a form as it is.
    private func send(_ form: HTMLForm, _ button: HTMLField?) async throws -> Navigation {
        let submission = try submission(form, button)
        return try submission.navigation([:], for: try await permit(submission))
    }

    /// Asks for a decision, with no default: only a person or a prepared answer can consent.
    private func decide(_ forms: [HTMLForm]) async throws -> Navigation {
        guard prompter != nil else {
            let buttons = forms.flatMap(\.buttons)
            if let singleUse, let known = buttons.first(where: { singleUse.knows($0.name ?? "") }) {
                throw known.noSuchChoice(at: page, of: buttons.filter { $0.name == known.name }.map { $0.value ?? "" })
            }
            let isNameless = buttons.contains { ($0.name ?? "").isEmpty }
            throw WebLoginError.undecided(
                at: page.url.origin, buttons.map(\.caption),
                hint: isNameless ? " \(WebLoginError.buttonAdvice)" : "", pageText: navigator.message(of: page),
                missingFields: buttons.compactMap(\.decision))
        }
        let form = try await choose(forms, isDecision: true)
        return try await fill(form, nil, isDecision: true, isDecided: forms.count > 1)
    }

    /// - Parameters:
    ///   - refusal: the page's reason if it asks again; nil if it does not
    ///   - isDecision: whether the person has to choose between its buttons
    ///   - isDecided: whether the person has chosen the form by its button
    private func fill(
        _ form: HTMLForm, _ refusal: String?, isDecision: Bool = false, isDecided: Bool = false
    ) async throws -> Navigation {
        if form.wantsFile {
            throw WebLoginError(
                .unsupportedPage, "The page at \(page.url.origin) wants a file, which cannot be sent from here.",
                pageText: navigator.message(of: page))
        }
        let first = try submission(form, form.usualButton)
        var recipient = try await permit(first)
        let skips = form.buttons.first { singleUse?.presses($0) == true }?.overrides.skipsValidation == true
        let answers = try await prepared(for: form, first, refusal, skips: skips)
        let asksAll = refusal != nil || isDecision
        let (values, hasAsked) = try await values(for: form, answers, asksAll: asksAll, skips: skips)
        let button =
            isDecided && form.buttons.count == 1
            ? form.buttons[0]
            : try await button(
                of: form, hasAnswers: !answers.isEmpty, hasAsked: hasAsked || answers.isEmpty, isDecision: isDecision)
        let secrets = form.visible.filter(\.field.isSecret).flatMap { values[$0.index] ?? [] }
        navigator.sent.note(form, on: page, isAgain: refusal != nil, secrets: secrets)
        let chosen = try submission(form, button)
        if chosen.action.origin != recipient {
            // Only the application decides where its prepared answers go.
            if !answers.isEmpty { try singleUse?.requireAllowed(fillable(chosen, [])) }
            recipient = try await permit(chosen)
        }
        let codes = form.visible.filter { singleUse?.takesCode($0.field) == true }.map(\.index)
        return try chosen.navigation(values, codes: Set(codes), for: recipient)
    }

    private func submission(_ form: HTMLForm, _ button: HTMLField?) throws -> FormSubmission {
        try FormSubmission(form, button: button, on: page, for: navigator.login)
    }

    // MARK: Destination

    /// Keeps values that are entered on a page at its origin, unless the person agrees to another (security rules S14
    /// and S18).
    ///
    /// - Returns: the origin that may have them
    private func permit(_ submission: FormSubmission) async throws -> Origin {
        let (source, target) = (page.url.origin, submission.action.origin)
        if target.isDowngrade(from: source) {
            throw WebLoginError(
                .pageFailed,
                "A form at \(source) would be sent to \(target): from https to plain http on another machine nothing is sent."
            )
        }
        guard source != target, singleUse?.allows(page: source, action: target) != true else { return target }
        guard let prompter else {
            throw WebLoginError(
                .answersNotAllowed,
                "A form at \(source) would be sent to \(target), which only a person can allow, or the origins of prepared answers if both are among them.",
                pageText: navigator.message(of: page))
        }
        guard try await prompter.confirm("Your input for \(source) will be sent to \(target). Send it there?")
        else {
            throw WebLoginError(.cancelled, "The form at \(source) was not sent to \(target).")
        }
        navigator.origins.add(target)
        return target
    }

    /// Asks for consent once per origin in a login, if neither the person nor the settings have named it (security rule
    /// S21).
    ///
    /// Covers every text field: only the page says which fields are secret.
    private func requireNamed(_ prompter: any FormPrompter) async throws {
        let origin = page.url.origin
        guard !navigator.origins.contains(origin) else { return }
        let question =
            "The \(navigator.login) has led to \(origin), which neither you nor your settings have named. "
            + "Do you trust it with what it asks for?"
        guard try await prompter.confirm(question) else {
            throw WebLoginError(.cancelled, "Nothing was entered for \(origin), which nobody has named.")
        }
        navigator.origins.add(origin)
    }

    private func fillable(_ submission: FormSubmission, _ fields: [FillableForm.Field]) -> FillableForm {
        FillableForm(
            page: page.url.origin, action: submission.action.origin, fields: fields,
            pageText: navigator.message(of: page))
    }

    // MARK: Values

    /// - Parameter isDecision: whether the forms' buttons are the question
    private func choose(_ forms: [HTMLForm], isDecision: Bool = false) async throws -> HTMLForm {
        let usual =
            forms.first(where: \.isLogin) ?? forms.first { form in form.fields.contains { $0.kind == .password } }
            ?? forms.first { $0.asksForText && !$0.buttons.isEmpty } ?? forms.first { !$0.buttons.isEmpty } ?? forms[0]
        guard forms.count > 1, let prompter else { return usual }
        let preferred =
            forms.firstIndex(where: \.isLogin)
            ?? forms.firstIndex { form in form.fields.contains { $0.kind == .password } }
            ?? forms.firstIndex { !$0.buttons.map(\.caption).contains(where: PageWords.consents) }
        let choice = try await prompter.choose(
            "Which form", for: page.url.origin, from: forms.map(\.caption),
            selected: isDecision ? [] : Set([preferred].compactMap { $0 }), allowsSeveral: false)
        guard let index = choice.first, forms.indices.contains(index) else { throw nothingChosen }
        return forms[index]
    }

    /// - Parameter skips: whether the form is sent although fields are empty
    private func prepared(
        for form: HTMLForm, _ submission: FormSubmission, _ refusal: String?, skips: Bool
    ) async throws -> [String: Redacted<String>] {
        // Even without prepared answers, the rules for required fields apply.
        let singleUse = singleUse ?? FormAnswers().forOneLogin()
        let groups = form.radioGroups
        let fields = form.visible.compactMap { _, field -> FillableForm.Field? in
            guard let name = field.name else { return nil }
            let group = groups[name] ?? []
            // A choice keeps its default, unless a browser would demand one.
            let isOpen = !form.skipsValidation && field.lacksChoice(in: group)
            guard field.isText || isOpen || singleUse.knows(name) else { return nil }
            var result = FillableForm.Field(
                name: singleUse.name(for: field), value: field.isText ? field.value ?? "" : "",
                isRequired: field.isText ? field.isRequired : isOpen, isPassword: field.kind == .password)
            result.isOneTimeCode = field.isOneTimeCode
            result.isExistingPassword = field.isExistingPassword
            result.isShownAhead = field.isShownAhead
            result.isChoice = !field.isText
            result.choices = field.kind == .radio ? group.prefix(20).map { $0.value ?? "on" } : field.choices
            return result
        }
        var fillable = fillable(submission, fields)
        fillable.skipsValidation = skips
        fillable.hasAnsweredButton = form.buttons.contains(where: singleUse.presses)
        fillable.shape = form
        if let refusal {
            fillable.pageText = TerminalText.sanitise(refusal)
            // With such a status the server has refused what was sent.
            let mayNeedScripts = page.html.hasScripts && ![401, 403].contains(page.status)
            let hint = mayNeedScripts ? Self.scriptHint : " It gives no reason."
            fillable.refusalHint = refusal.isEmpty ? hint : ""
        }
        return try await singleUse.fill(fillable, canAsk: prompter != nil)
    }

    private static let scriptHint =
        " It gives no reason, and has scripts, which do not run in a terminal: show the login in a browser instead (httpc: --web chromium, or --headless)."

    /// - Parameters:
    ///   - asksAll: whether optional check boxes are asked for as well
    ///   - skips: whether nothing is asked, because the form is sent although fields are empty
    private func values(
        for form: HTMLForm, _ answers: [String: Redacted<String>], asksAll: Bool, skips: Bool
    ) async throws -> (values: [Int: [String]], hasAsked: Bool) {
        var values: [Int: [String]] = [:]
        var hasAsked = false
        var radios: Set<String> = []
        let prompter = skips ? nil : prompter
        let codeField = skips ? nil : try await fieldForPasscode(of: form, answers)
        let visible = form.visible
        let groups = Dictionary(grouping: visible.filter { $0.field.kind == .radio }) { $0.field.name }
        let boxes = Dictionary(grouping: visible.map(\.field).filter { $0.kind == .checkbox }) { $0.name ?? "" }
        let hasOnlyCheckBoxes = visible.allSatisfy { $0.field.kind == .checkbox }
        for (index, field) in visible {
            guard let name = field.name else { continue }
            if field.kind == .radio {
                guard radios.insert(name).inserted, let group = groups[name] else { continue }
                hasAsked = answers[name] == nil && prompter != nil || hasAsked
                let chosen = try await radio(group.map(\.field), answers[name]?.value, prompter)
                for (position, member) in group.enumerated() {
                    values[member.index] = position == chosen ? [member.field.value ?? "on"] : []
                }
            } else if let answer = answers[singleUse?.name(for: field) ?? name] {
                values[index] = try field.taking(answer.value, among: boxes[name] ?? [], at: page)
            } else if field.kind == .checkbox, !field.lacksChoice(in: []),
                field.isReminder || field.isRequired || !(asksAll || hasOnlyCheckBoxes)
            {
                // The check box keeps its default, so that a daily login does not ask about it every day.
                continue
            } else if let prompter {
                hasAsked = true
                values[index] = try await ask(field, prompter, takesPasscode: index == codeField)
            }
        }
        return (values, hasAsked)
    }

    // MARK: Questions

    private func ask(
        _ field: HTMLField, _ prompter: any FormPrompter, takesPasscode: Bool
    ) async throws -> [String] {
        switch field.kind {
        case .checkbox:
            let chosen = try await prompter.choose(
                field.caption, for: page.url.origin, from: ["no", "yes"], selected: [field.isChecked ? 1 : 0],
                allowsSeveral: false)
            return chosen.contains(1) ? [field.value ?? "on"] : []
        case .select(let multiple):
            let options = field.options.filter { !$0.isDisabled }
            guard !options.isEmpty else { return [] }
            let own = Set(field.ownValues)
            let selected =
                multiple
                ? Set(options.indices.filter { own.contains(options[$0].value) })
                : Set(options.indices.first { own.contains(options[$0].value) }.map { [$0] } ?? [])
            let chosen = try await prompter.choose(
                field.caption, for: page.url.origin, from: options.map { TerminalText.sanitise($0.label, limit: 80) },
                selected: selected, allowsSeveral: multiple)
            return chosen.sorted().filter(options.indices.contains).map { options[$0].value }
        default:
            try await requireNamed(prompter)
            while true {
                let isSecret = field.kind == .password
                let prefilled = isSecret ? "" : field.value ?? ""
                let text = try await enter(
                    field.caption, TerminalText.sanitise(prefilled), isSecret, prompter, takesPasscode)
                if !text.value.isEmpty { return [field.shortened(text.value)] }
                if !prefilled.isEmpty { return [prefilled] }
                if !field.isRequired { return [""] }
            }
        }
    }

    /// The text that the person enters, or the code that another application delivers meanwhile.
    private func enter(
        _ label: String, _ prefilled: String, _ isSecret: Bool, _ prompter: any FormPrompter, _ takesPasscode: Bool
    ) async throws -> Redacted<String> {
        let origin = page.url.origin
        guard takesPasscode, let authenticator = navigator.login.authenticator else {
            return try await prompter.enter(label, for: origin, prefilled: prefilled, isSecret: isSecret)
        }
        return try await withThrowingTaskGroup(of: Redacted<String>.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await prompter.enter(label, for: origin, prefilled: prefilled, isSecret: isSecret) }
            group.addTask { try await authenticator.passcode(for: page.url) }
            guard let text = try await group.next() else { throw CancellationError() }
            return text
        }
    }

    /// The field for a code from another application, if the person has opened it with the page's link.
    private func fieldForPasscode(of form: HTMLForm, _ answers: [String: Redacted<String>]) async throws -> Int? {
        let open = form.visible.filter { $0.field.isText && answers[singleUse?.name(for: $0.field) ?? ""] == nil }
        guard let prompter, let authenticator = navigator.login.authenticator,
            let name = PasscodeField.likeliest(of: open.map { $0.field.name ?? "" }),
            let link = page.html.links.first(where: { authenticator.canOpen($0.href, from: page.url) })
        else { return nil }
        let question = "A page of \(page.url.origin) leads to an application that makes the code. Open it?"
        guard try await prompter.confirm(question), try await authenticator.open(link.href, from: page.url) else {
            return nil
        }
        return open.first { $0.field.name == name }?.index
    }

    private func radio(
        _ group: [HTMLField], _ answer: String?, _ prompter: (any FormPrompter)?
    ) async throws -> Int? {
        if let answer {
            let found = group.firstIndex { $0.value == answer } ?? group.firstIndex { $0.label == answer }
            guard let found else { throw group[0].noSuchChoice(at: page) }
            return found
        }
        let checked = group.firstIndex(where: \.isChecked)
        guard let prompter else { return checked }
        let labels = group.map { TerminalText.sanitise($0.label.isEmpty ? $0.value ?? "on" : $0.label, limit: 80) }
        let chosen = try await prompter.choose(
            TerminalText.sanitise(HTMLField.withoutColon(group[0].name ?? ""), limit: 60), for: page.url.origin,
            from: labels,
            selected: Set([checked].compactMap { $0 }), allowsSeveral: false)
        return chosen.first
    }

    /// - Parameter hasAnswers: whether fields of the form have prepared answers
    private func button(
        of form: HTMLForm, hasAnswers: Bool, hasAsked: Bool, isDecision: Bool
    ) async throws -> HTMLField? {
        let buttons = form.buttons
        // A prepared answer may select a button by its value: consent forms have one for yes and one for no.
        if let singleUse, let pressed = try await preparedButton(of: buttons, singleUse) { return pressed }
        // The answer may be for a button of the same name on a later page.
        if let singleUse, let other = buttons.first(where: { singleUse.knows($0.name ?? "") }),
            isDecision || !hasAnswers || form.onlyWayOn == nil
        {
            throw other.noSuchChoice(at: page)
        }
        if let only = form.onlyWayOn, !isDecision { return only }
        guard let prompter, hasAsked, !buttons.isEmpty else { return form.usualButton }
        let usual = buttons.firstIndex { !PageWords.refuses($0.caption) } ?? 0
        let chosen = try await prompter.choose(
            "Go on with", for: page.url.origin, from: buttons.map(\.caption), selected: isDecision ? [] : [usual],
            allowsSeveral: false)
        guard let index = chosen.first, buttons.indices.contains(index) else { throw nothingChosen }
        return buttons[index]
    }

    private var nothingChosen: WebLoginError {
        WebLoginError(.cancelled, "Nothing was chosen on the page at \(page.url.origin).")
    }

    private func preparedButton(of buttons: [HTMLField], _ singleUse: SingleUseAnswers) async throws -> HTMLField? {
        guard
            let (button, name) = buttons.lazy.compactMap({ button in
                singleUse.name(pressing: button, id: nil).map { (button, $0) }
            }).first
        else { return nil }
        var field = FillableForm.Field(name: name)
        field.isChoice = true
        let form = FillableForm(
            page: page.url.origin, action: page.url.origin, fields: [field],
            pageText: navigator.message(of: page))
        _ = try await singleUse.fill(form, canAsk: true)
        return button
    }
}
