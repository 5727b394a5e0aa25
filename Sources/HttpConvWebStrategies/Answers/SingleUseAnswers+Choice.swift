import HttpConvAuthFlows
import HttpConvFormats

extension SingleUseAnswers {
    /// The number of the form that the answers are for; nil if they are for none.
    ///
    /// Pages have other forms with the same fields beside the login, such as one for a newsletter or for new users.
    func preferred(_ forms: [HTMLForm]) -> Int? {
        let ranks = forms.map(rank(of:))
        guard let best = ranks.compactMap(\.self).max(by: { $0 < $1 }) else { return nil }
        return ranks.firstIndex { $0.map { $0 == best } ?? false }
    }

    /// The rank of a form by its purpose, then by its number of answers; nil without an answer.
    private func rank(of form: HTMLForm) -> (purpose: Int, answers: Int)? {
        let visible = form.visible.map(\.field)
        let fields = visible.map(name(for:)).filter { knows($0) }
        let names = Set(fields + form.buttons.compactMap { name(pressing: $0, id: nil) })
        guard !names.isEmpty else { return nil }
        let password = visible.first { $0.kind == .password && names.contains(name(for: $0)) }
        let purpose =
            if let password, form.isLogin, hasUnused(name(for: password)) {
                4
            } else if names.contains(where: { isCode($0) && hasUnused($0) }) {
                // A later step of the login. The page may still have the form of the first step.
                3
            } else if password != nil, form.isLogin {
                2
            } else if let password, !password.autocomplete.contains("new-password") {
                1
            } else {
                0
            }
        return (purpose, names.count)
    }
}

extension HTMLField {
    /// The name under which answers for this field are found. It is the `id` of a text field whose name seems to change
    /// with each load of the page.
    var answerName: String {
        let name = name ?? ""
        guard kind == .text || kind == .password, let id, !id.isEmpty, Self.isNewEachTime(name),
            !Self.isNewEachTime(id)
        else { return name }
        return id
    }

    /// Whether a name has 12 hexadecimal digits in a row, at least four of them decimal.
    private static func isNewEachTime(_ name: String) -> Bool {
        name.utf8.split { !$0.isASCIIDigit && !(0x61...0x66).contains($0 | 0x20) }.contains { run in
            run.count >= 12 && run.count(where: \.isASCIIDigit) >= 4
        }
    }
}
