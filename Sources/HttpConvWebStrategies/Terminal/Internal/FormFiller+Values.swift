import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// The values of a form's fields: prepared answers, defaults, and what the person enters.
extension FormFiller {
    /// The prepared answers for a form, by the names of its fields.
    ///
    /// - Parameter skips: whether the form is sent although fields are empty
    func prepared(
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

    /// The values of a form's fields by their indices, and whether the person was asked for one of them.
    ///
    /// - Parameters:
    ///   - asksAll: whether optional check boxes are asked for as well
    ///   - skips: whether nothing is asked, because the form is sent although fields are empty
    func values(
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
}
