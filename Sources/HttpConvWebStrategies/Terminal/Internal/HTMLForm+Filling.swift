import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

extension HTMLForm {
    /// The fields that a person could fill in, with their indices.
    var visible: [(index: Int, field: HTMLField)] {
        fields.enumerated().filter { $0.element.isFillable }.map { ($0.offset, $0.element) }
    }

    /// The enabled and visible buttons, the default one first.
    var buttons: [HTMLField] { fields.filter { $0.kind == .submit && !$0.isDisabled && !$0.isInvisible } }

    /// Whether a person could do something in it.
    var isUsable: Bool { method != .dialog && (!visible.isEmpty || !buttons.isEmpty || wantsFile) }

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

    /// The name for people, sanitised.
    var caption: String {
        let text = [label, name ?? "", value ?? "", "Continue"].first { !$0.isEmpty } ?? ""
        return TerminalText.sanitise(text, limit: 80)
    }

    /// Shortens a text to the page's maximum length, in UTF-16 units as in browsers.
    func shortened(_ text: String) -> String {
        guard let maxLength, text.utf16.count > maxLength else { return text }
        return String(decoding: Array(text.utf16.prefix(maxLength)), as: UTF16.self)
    }

    /// The values that are sent for a prepared answer.
    func taking(_ answer: String, at page: LoadedPage) throws(WebLoginError) -> [String] {
        switch kind {
        case .checkbox:
            let value = value ?? "on"
            if ["", "off", "no", "false", "0"].contains(answer.lowercased()), answer != value { return [] }
            return [value]
        case .select:
            let options = options.filter { !$0.isDisabled }
            guard
                let found = options.first(where: { $0.value == answer }) ?? options.first(where: { $0.label == answer })
            else { throw noSuchChoice(at: page) }
            return [found.value]
        default: return [answer]
        }
    }

    func noSuchChoice(at page: LoadedPage) -> WebLoginError {
        WebLoginError(
            .missingAnswer,
            "The prepared answer for \"\(TerminalText.sanitise(name ?? "", limit: 60))\" at \(page.url.origin) is not one of its choices.",
            pageText: page.message)
    }
}
