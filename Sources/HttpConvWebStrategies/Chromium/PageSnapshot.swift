#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// The login's page at one moment.
struct PageSnapshot {
    struct Form {
        let index: Double
        let fillable: FillableForm
        /// The form with the texts and attributes that show its purpose.
        let shape: HTMLForm
        let buttons: [Button]
        /// The button to press; nil if the Enter key sends it.
        var button: Press?
        /// Whether this stands for the fields and buttons of the page that belong to no form.
        var isRest: Bool { index < 0 }
        var labels: [String] { buttons.map(\.label) }
    }
    /// A button of a form.
    struct Button {
        let name: String
        let id: String
        let value: String
        let label: String
        /// The label as the page has it.
        let rawLabel: String
        /// Whether it sends its form. Only scripts react to others.
        let sends: Bool
        /// Whether it is outside of forms, in a notice about cookies on a page with a field for text.
        let isAboutCookies: Bool
    }
    /// A button to press.
    struct Press {
        /// The number among the buttons of the form, or of the page's buttons without a form.
        let number: Int
        /// The label that it has to have.
        let label: String
        var isOutside = false
    }

    let url: TargetURL
    /// The page's origin as the browser writes it.
    let origin: String
    let forms: [Form]
    /// The error message, else the text.
    let text: String
    /// The error message; empty if there is none.
    let alert: String
    /// The number of fields that a person could type into, also of those without a name.
    let typable: Int
    /// Whether the only fields are those of web components, in open shadow roots. They are not filled in.
    let hasOnlyShadowFields: Bool
    /// The title and the first heading, or else the first line of the text.
    let heading: String
    /// Whether a link or form of the page ends a session.
    let endsSession: Bool
    /// The isolated world of the snapshot.
    let world: JSONValue

    /// The parts whose change shows that the page is still at work: not its digits and dots, as in a clock.
    var content: [String] {
        let parts = forms.flatMap { $0.labels.map { $0.filter(\.isLetter) } + $0.fillable.fields.map(\.name) }
        return [url.absoluteString, text.filter(\.isLetter)] + parts
    }

    /// Reads the answer of `PageScripts.look`. Returns nil for a page that is not from a web server.
    init?(_ value: JSONValue, world: JSONValue, answers: SingleUseAnswers) {
        guard let address = value["url"]?.text, let url = try? TargetURL(address), let origin = value["origin"]?.text
        else { return nil }
        self.url = url
        self.origin = origin
        self.world = world
        let alert = value["alert"]?.text ?? ""
        self.alert = alert
        typable = value["typable"]?.number.flatMap { Int(exactly: $0) } ?? 0
        hasOnlyShadowFields = value["shadow"]?.bool ?? false
        let text = alert.isEmpty ? value["text"]?.text ?? "" : alert
        self.text = text
        heading = "\(value["title"]?.text ?? "") \(value["heading"]?.text ?? "")"
        var forms = value["forms"]?.elements.compactMap { Form($0, on: url, text: text, answers) } ?? []
        // Some forms have their button beside them.
        if let outside = forms.last(where: \.isRest)?.onlyWayOn {
            for index in forms.indices where !forms[index].isRest && !forms[index].hasOwnButton {
                forms[index].button = Press(number: outside.number, label: outside.label, isOutside: true)
            }
        }
        self.forms = forms
        let links = value["links"]?.elements.compactMap(\.text) ?? []
        endsSession = links.contains(where: HTMLPage.endsSession) || forms.contains(where: \.shape.endsSession)
    }
}

extension PageSnapshot.Form {
    /// Returns nil for a form whose action is not a web page.
    fileprivate init?(_ value: JSONValue, on page: TargetURL, text: String, _ answers: SingleUseAnswers) {
        guard let index = value["index"]?.number else { return nil }
        let written = value["buttons"]?.elements ?? []
        let buttons = written.map { PageSnapshot.Button($0) }
        let answered = buttons.firstIndex { answers.name(pressing: $0) != nil }
        let number = answered ?? Self.usual(buttons, isRest: index < 0)
        let address = number.map { written[$0]["action"] } ?? value["action"]
        guard let action = address?.text.flatMap({ try? TargetURL($0) }) else { return nil }
        let fields = value["fields"]?.elements ?? []
        var fillable = FillableForm(
            page: page.origin, action: action.origin, fields: fields.compactMap { FillableForm.Field($0, answers) },
            pageText: text)
        fillable.skipsValidation = answered.map { written[$0]["skips"]?.bool == true } ?? false
        var shape = HTMLForm()
        shape.method = value["post"]?.bool == true ? .post : .get
        // The page's own address, which is that of a form without an action, says nothing about the form.
        shape.action = action.withoutFragment == page.withoutFragment ? nil : action.requestTarget
        shape.fields = fields.compactMap { HTMLField(look: $0) } + buttons.map { HTMLField(.submit, value: $0.label) }
        if let name = answered.flatMap({ answers.name(pressing: buttons[$0]) }) {
            var field = FillableForm.Field(name: name)
            field.isChoice = true
            fillable.fields.append(field)
            fillable.hasAnsweredButton = true
            shape.fields.append(HTMLField(.checkbox, name: name))
        }
        fillable.shape = shape
        self.init(
            index: index, fillable: fillable, shape: shape, buttons: buttons,
            button: number.map { PageSnapshot.Press(number: $0, label: buttons[$0].rawLabel) })
    }

    /// The button to press if no answer names one. In this order: the usual one of those that send the form; the only
    /// button that just leads on; the form's only button that neither refuses nor consents.
    private static func usual(_ buttons: [PageSnapshot.Button], isRest: Bool) -> Int? {
        let sending = buttons.indices.filter { buttons[$0].sends }
        if let usual = PageWords.usualButton(of: sending.map { buttons[$0].label }) { return sending[usual] }
        if let only = onlyWayOn(buttons) { return only }
        let neutral = buttons.indices.filter {
            !PageWords.refuses(buttons[$0].label) && !PageWords.consents(buttons[$0].label)
        }
        return neutral.count == 1 && !isRest ? neutral[0] : nil
    }

    /// The number of the only button for scripts whose label says that it just leads on. A button that closes a notice
    /// about cookies does not count, unless its label names a login.
    private static func onlyWayOn(_ buttons: [PageSnapshot.Button]) -> Int? {
        let ways = buttons.indices.filter {
            let label = buttons[$0].label
            return !label.isEmpty && PageWords.leadsOn(label)
                && (!buttons[$0].isAboutCookies || PageWords.namesLogin(label))
        }
        return ways.count == 1 ? ways[0] : nil
    }

    /// The only button whose label says that it just leads on.
    fileprivate var onlyWayOn: PageSnapshot.Press? {
        Self.onlyWayOn(buttons).map { PageSnapshot.Press(number: $0, label: buttons[$0].rawLabel) }
    }

    /// Whether one of its own buttons sends it, leads on, or has an answer.
    fileprivate var hasOwnButton: Bool {
        buttons.contains(where: \.sends) || onlyWayOn != nil || fillable.hasAnsweredButton
    }
}

extension PageSnapshot.Button {
    fileprivate init(_ value: JSONValue) {
        self.init(
            name: value["name"]?.text ?? "", id: value["id"]?.text ?? "", value: value["value"]?.text ?? "",
            label: TerminalText.sanitise(value["label"]?.text ?? "", limit: 80),
            rawLabel: value["label"]?.text ?? "", sends: value["sends"]?.bool ?? false,
            isAboutCookies: value["isAboutCookies"]?.bool ?? false)
    }

    /// The field of an error that asks for an answer to press it.
    var missing: WebLoginError.MissingField {
        let name = [name, id, label].first { !$0.isEmpty } ?? ""
        let isNamed = !self.name.isEmpty
        return WebLoginError.MissingField(
            name, .choice, choices: [isNamed ? value : label].filter { !$0.isEmpty }, purpose: .button, label: label)
    }
}

extension SingleUseAnswers {
    /// The name of the answer that presses a button. One for scripts may have no name either.
    fileprivate func name(pressing button: PageSnapshot.Button) -> String? {
        guard !(button.value + button.label).isEmpty else { return nil }
        var field = HTMLField(.submit, name: button.name, value: button.value)
        field.label = button.label
        return name(pressing: field, id: button.id, isForScripts: !button.sends)
    }
}
#endif
