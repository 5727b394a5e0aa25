import HttpConvAuthFlows
import HttpConvFormats

/// The parts of a form that tell what its page asks for.
struct AskingForm {
    /// Whether it is sent with POST. A form for a search is not.
    var isPost: Bool
    var fields: [FillableForm.Field]
    /// The names of its buttons.
    var buttons: [String]
    /// The labels of its buttons and check boxes.
    var labels: [String]

    /// The forms of a page that ``PageScripts/look`` describes.
    static func all(in look: JSONValue, _ answers: SingleUseAnswers?) -> [AskingForm] {
        (look["forms"]?.elements ?? []).map { form in
            // Buttons for scripts are on any page, such as one about cookies.
            let buttons = (form["buttons"]?.elements ?? []).filter { $0["sends"]?.bool == true }
            let fields = form["fields"]?.elements ?? []
            return AskingForm(
                isPost: form["post"]?.bool == true, fields: fields.compactMap { FillableForm.Field($0, answers) },
                buttons: buttons.compactMap { $0["name"]?.text },
                labels: (fields + buttons).compactMap { $0["label"]?.text })
        }
    }
}

extension FillableForm.Field {
    /// A field that ``PageScripts/look`` describes.
    init?(_ look: JSONValue, _ answers: SingleUseAnswers?) {
        guard let shape = HTMLField(look: look) else { return nil }
        self.init(
            name: answers?.name(for: shape) ?? shape.answerName, value: look["value"]?.text ?? "",
            isRequired: look["required"]?.bool ?? false, isPassword: shape.kind == .password)
        sentName = shape.name
        isOneTimeCode = look["code"]?.bool ?? false
        isExistingPassword = look["autocomplete"]?.text?.asciiLowercased.contains("current-password") ?? false
        isChoice = look["choice"]?.bool ?? false
        choices = look["choices"]?.elements.compactMap(\.text) ?? []
    }
}

extension HTMLField {
    /// A field that ``PageScripts/look`` describes.
    init?(look: JSONValue) {
        guard let name = look["name"]?.text else { return nil }
        let kind: Kind =
            if look["choice"]?.bool ?? false {
                .checkbox
            } else if look["password"]?.bool ?? false {
                .password
            } else {
                .text
            }
        self.init(kind, name: name, value: look["value"]?.text)
        id = look["id"]?.text
        autocomplete = look["autocomplete"]?.text?.asciiLowercased ?? ""
        label = look["label"]?.text ?? ""
    }
}

extension ArrivedPage.Question {
    /// The question of a page, by its forms.
    init(of forms: [AskingForm], answers: SingleUseAnswers?) {
        let texts = forms.flatMap { form in
            form.fields.filter { !$0.isChoice }.map { (isPost: form.isPost, field: $0) }
        }
        let names = forms.flatMap { $0.fields.map(\.name) + $0.buttons }
        let isForLogin = texts.contains { isPost, field in
            field.isPassword || field.isOneTimeCode || isPost && PasscodeField.isLikely(field.name)
        }
        if isForLogin || answers.map({ names.contains(where: $0.hasUnused) }) == true {
            self = .login
        } else if texts.contains(where: \.isPost) {
            // Such as the answer to a question. A button to log out beside it asks for nothing.
            let asking = forms.filter { $0.fields.contains { !$0.isChoice } }
            self = .text(
                isDemanded: asking.count == 1 && texts.contains { $0.field.isRequired && $0.field.value.isEmpty })
        } else if texts.isEmpty, forms.contains(where: { $0.labels.contains(where: PageWords.consents) }) {
            self = .decision
        } else {
            self = .nothing
        }
    }
}
