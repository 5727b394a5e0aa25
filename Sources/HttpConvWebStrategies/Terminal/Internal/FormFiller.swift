import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// Fills in one form of a page, from prepared answers and by asking.
struct FormFiller: Sendable {
    let navigator: FormNavigator
    let page: LoadedPage

    var singleUse: SingleUseAnswers? { navigator.singleUse }
    var prompter: (any FormPrompter)? { navigator.prompter }

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

    /// The forms that may be sent without a person. On a page with a link or button to log out, a form with a password
    /// is left out unless it calls itself a login: some sites have such a link on every page.
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

    /// The forms that may be sent although no prepared answer is for them. A search is left out if there are other
    /// forms. A page with a link or button to log out has no such form: the result is an error.
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
        // Beside a search, a button alone is a part of the site and does not lead on.
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

    func fillable(_ submission: FormSubmission, _ fields: [FillableForm.Field]) -> FillableForm {
        FillableForm(
            page: page.url.origin, action: submission.action.origin, fields: fields,
            pageText: navigator.message(of: page))
    }

    // MARK: Choices

    /// The form to fill in; a person chooses if there are several.
    ///
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
        let usual = PageWords.usualButton(of: buttons.map(\.caption)) ?? 0
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
