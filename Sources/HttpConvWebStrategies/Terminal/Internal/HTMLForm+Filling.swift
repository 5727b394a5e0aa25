import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

extension HTMLForm {
    /// The fields that a person could fill in, with their indices.
    var visible: [(index: Int, field: HTMLField)] {
        fields.enumerated().filter { $0.element.isFillable }.map { ($0.offset, $0.element) }
    }

    /// The enabled and visible buttons that send it, the default one first.
    var buttons: [HTMLField] {
        fields.filter {
            $0.kind == .submit && !$0.isDisabled && !$0.isInvisible && $0.overrides.method != .dialog
        }
    }

    /// Whether a person could do something in it.
    var isUsable: Bool { method != .dialog && (!visible.isEmpty || !buttons.isEmpty || wantsFile) }

    /// The method that a button sends it with.
    func method(by button: HTMLField?) -> Method { button?.overrides.method ?? method }

    /// Whether only a script can send it as the page means it: a browser would not send it, or it would put a password
    /// or a one-time code into the URL, whatever button is pressed.
    var isForScripts: Bool {
        guard !isLeftToScripts, !hasNamelessPassword else { return true }
        guard asksForSecret else { return false }
        return buttons.isEmpty ? method == .get : buttons.allSatisfy { method(by: $0) == .get }
    }

    /// Whether it asks for a password or a one-time code, as far as the page tells.
    var asksForSecret: Bool { hasNamelessPassword || visible.contains { $0.field.isSecret } }

    /// Whether the page marks a field as one for a password or a one-time code.
    var isMarkedAsSecret: Bool {
        hasNamelessPassword
            || visible.contains { $0.field.kind == .password || $0.field.isText && $0.field.isOneTimeCode }
    }

    /// Whether its only passwords are without a name, which a browser does not send. Beside one with a name, they are
    /// there against programs that fill in forms.
    var hasNamelessPassword: Bool {
        let passwords = fields.filter { $0.kind == .password && !$0.isDisabled && !$0.isReadOnly && !$0.isInvisible }
        return !passwords.isEmpty && passwords.allSatisfy { ($0.name ?? "").isEmpty }
    }

    /// Whether it asks for a text.
    var asksForText: Bool { visible.contains { $0.field.isText } }

    /// Whether it is like one for a search: what is entered goes into the URL.
    var isSearch: Bool { method == .get && asksForText && !asksForSecret }

    /// Whether it asks for the name of a user and nothing else, as the first page of a login in steps.
    var asksForUserName: Bool {
        let texts = visible.map(\.field).filter(\.isText)
        guard texts.count == 1, let name = texts.first, name.kind == .text, !isSearch, !makesAccount else {
            return false
        }
        return name.type != "search" && !PasscodeField.isLikely(name.answerName) && !name.isSecret
    }

    /// The only button that does not refuse; nil if there are several, or none.
    var onlyWayOn: HTMLField? {
        let on = buttons.filter { !PageWords.refuses($0.caption) }
        return on.count == 1 ? on[0] : nil
    }

    /// The button to press if neither a person nor an answer chooses one.
    var usualButton: HTMLField? { PageWords.usualButton(of: buttons.map(\.caption)).map { buttons[$0] } }

    /// Whether it asks nothing and can only be refused.
    var onlyRefuses: Bool {
        visible.isEmpty && !wantsFile && buttons.allSatisfy { PageWords.refuses($0.caption) }
    }

    /// The visible radio buttons by their name.
    var radioGroups: [String: [HTMLField]] {
        Dictionary(grouping: visible.map(\.field).filter { $0.kind == .radio }) { $0.name ?? "" }
    }

    /// The names of its fields, by which a repeated page is recognised. In a form without a password their labels count
    /// as well, because the next question may have the same name.
    var signature: Set<String> {
        let fields = visible.map(\.field).filter(\.isText)
        let isForPassword = fields.contains { $0.kind == .password }
        return Set(fields.map { isForPassword ? $0.answerName : "\($0.answerName): \($0.caption)" })
    }

    /// Whether it asks for a file.
    var wantsFile: Bool { fields.contains { $0.kind == .file && !$0.isDisabled } }

    /// A text that distinguishes it from the page's other forms.
    var caption: String {
        let labels = (visible.map(\.field).prefix(3) + buttons.prefix(2)).map(\.caption)
        return TerminalText.sanitise(labels.joined(separator: ", "), limit: 120)
    }
}

extension HTMLField {
    /// Whether a person is asked for it.
    var isFillable: Bool {
        guard name != nil, !isDisabled, !isReadOnly, !isInvisible else { return false }
        switch kind {
        case .text, .password, .textArea, .checkbox, .radio, .select: return true
        case .hidden, .file, .submit, .button, .reset: return false
        }
    }

    /// Whether its value is entered as text.
    var isText: Bool { kind == .text || kind == .password || kind == .textArea }

    /// Whether it is for a password or a one-time code, as far as the page tells: also a text with the name of one.
    var isSecret: Bool {
        kind == .password
            || isText && (isOneTimeCode || [name ?? "", answerName].contains { SecretNames.contains($0) })
    }

    /// The name for people, sanitised. The colon that many labels end with is left out: a question adds its own.
    var caption: String {
        let names = [label, name ?? "", value ?? "", "Continue"].map(Self.withoutColon)
        return TerminalText.sanitise(names.first { !$0.isEmpty } ?? "", limit: 80)
    }

    /// Whether it is marked as a field for a password that exists already.
    var isExistingPassword: Bool { autocomplete.contains("current-password") }

    /// A label without its colon at the end.
    static func withoutColon(_ label: String) -> String {
        var label = label.trimmingSpaces[...]
        while let last = label.unicodeScalars.last, last == ":" || last == "\u{FF1A}" || last.properties.isWhitespace {
            label.unicodeScalars.removeLast()
        }
        return String(label)
    }

    /// Whether this is a check box that only decides about remembering.
    var isReminder: Bool { kind == .checkbox && PageWords.remembers("\(label) \(name ?? "")") }

    /// Whether a browser would refuse to send the form because nothing is chosen.
    ///
    /// - Parameter group: the radio buttons of its name
    func lacksChoice(in group: [HTMLField]) -> Bool {
        switch kind {
        case .checkbox: isRequired && !isChecked
        case .radio: group.contains(where: \.isRequired) && !group.contains(where: \.isChecked)
        case .select(let multiple):
            // Only a first option without a value stands for no choice (HTML §4.10.7).
            isRequired && ownValues.allSatisfy(\.isEmpty)
                && (multiple || isList || options.first?.value.isEmpty != false)
        default: false
        }
    }

    /// The values to choose from; empty for a text.
    var choices: [String] {
        switch kind {
        case .checkbox: ["on", "off"]
        case .select: options.filter { !$0.isDisabled && !$0.value.isEmpty }.prefix(20).map(\.value)
        default: []
        }
    }

    /// Shortens a text to the page's maximum length, in UTF-16 units as in browsers.
    func shortened(_ text: String) -> String {
        guard let maxLength, text.utf16.count > maxLength else { return text }
        return String(decoding: Array(text.utf16.prefix(maxLength)), as: UTF16.self)
    }

    /// The values that are sent for a prepared answer.
    ///
    /// - Parameter boxes: the check boxes of its name
    func taking(
        _ answer: String, among boxes: [HTMLField], at page: LoadedPage
    ) throws(WebLoginError) -> [String] {
        switch kind {
        case .checkbox:
            if isMeant(by: answer) { return [value ?? "on"] }
            if boxes.contains(where: { $0.isMeant(by: answer) }) { return [] }
            let word = answer.lowercased()
            if ["", "off", "no", "false", "0"].contains(word) { return [] }
            // A consent page may have a box for each permission: an answer ticks only the box that it names.
            guard boxes.count < 2 else { throw noSuchChoice(at: page, of: boxes.map { $0.value ?? "on" }) }
            guard ["on", "yes", "true", "1"].contains(word) else { throw noSuchChoice(at: page) }
            return [value ?? "on"]
        case .select:
            let options = options.filter { !$0.isDisabled }
            guard
                let found = options.first(where: { $0.value == answer }) ?? options.first(where: { $0.label == answer })
            else { throw noSuchChoice(at: page) }
            return [found.value]
        default: return [answer]
        }
    }

    /// The field of an error that asks for an answer to press this button; nil if it has no name and no label.
    var decision: WebLoginError.MissingField? {
        let isNamed = !(name ?? "").isEmpty
        guard let key = isNamed ? name : label, !key.isEmpty else { return nil }
        return WebLoginError.MissingField(
            key, .choice, choices: [isNamed ? value ?? "" : label], purpose: .button, label: caption)
    }

    /// Whether an answer is the value or the label of a button.
    func isPressed(by answer: String) -> Bool { answer == value ?? "" || answer == label }

    /// Whether an answer is the value or the label of a check box.
    private func isMeant(by answer: String) -> Bool {
        answer == value ?? "on" || !answer.isEmpty && answer == label
    }

    func noSuchChoice(at page: LoadedPage, of choices: [String]? = nil) -> WebLoginError {
        WebLoginError(
            .missingAnswer,
            "The prepared answer for \"\(TerminalText.sanitise(name ?? "", limit: 60))\" at \(page.url.origin) is not one of its choices.",
            pageText: page.message,
            missingFields: [WebLoginError.MissingField(name ?? "", .choice, choices: choices ?? self.choices)])
    }
}
