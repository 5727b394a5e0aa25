import HttpConvAuthFlows
import HttpConvFormats

extension AskingForm {
    init(_ form: HTMLForm, _ answers: SingleUseAnswers?) {
        isPost = form.method == .post || form.buttons.contains { $0.overrides.method == .post }
        let visible = form.visible.map(\.field)
        fields = visible.map { field in
            var result = FillableForm.Field(
                name: answers?.name(for: field) ?? field.answerName, value: field.value ?? "",
                isRequired: field.isRequired,
                isPassword: field.kind == .password)
            result.isOneTimeCode = field.isOneTimeCode
            result.isExistingPassword = field.isExistingPassword
            result.isChoice = !field.isText
            return result
        }
        buttons = form.buttons.compactMap(\.name)
        labels = (visible.filter { $0.kind == .checkbox } + form.buttons).map(\.caption)
    }
}

extension LoadedPage {
    /// The page with what it asks for.
    func arrived(_ answers: SingleUseAnswers?) -> ArrivedPage {
        let forms = html.forms.filter(\.isUsable).map { AskingForm($0, answers) }
        return ArrivedPage(at: url, asking: ArrivedPage.Question(of: forms, answers: answers))
    }
}
