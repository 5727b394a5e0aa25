import HttpConvFormats

/// The purpose of a page with forms, as far as its fields and buttons tell.
enum PagePurpose {
    /// It asks for texts or choices.
    case questions
    /// It asks nothing, and leads on by its only button, whose label only says so.
    case interstitial(HTMLForm)
    /// It asks whether to remember the session or the device. Nothing is remembered, so it is refused.
    case reminder(HTMLForm, refusal: HTMLField)
    /// It asks for consent, or to choose a way on.
    case decision

    /// The length of the text of a page that only asks whether to remember something, in characters.
    private static let questionLength = 120

    /// - Parameters:
    ///   - forms: the page's forms that could be sent; not empty
    ///   - isAttended: whether there is a person, who is asked about a page with a longer text
    init(of page: HTMLPage, _ forms: [HTMLForm], isAttended: Bool) {
        guard !forms.contains(where: { $0.asksForText || $0.wantsFile }) else {
            self = .questions
            return
        }
        let buttons = forms.flatMap(\.buttons)
        let consents = buttons.contains { PageWords.consents($0.caption) }
        if !consents, forms.count == 1, let refusal = buttons.first(where: { PageWords.refuses($0.caption) }),
            !isAttended || page.text.count <= Self.questionLength,
            PageWords.remembers(([page.title, page.heading] + buttons.map(\.caption)).joined(separator: " "))
        {
            self = .reminder(forms[0], refusal: refusal)
        } else if consents || buttons.count > 1 || buttons.contains(where: { PageWords.refuses($0.caption) }) {
            self = .decision
        } else if buttons.contains(where: { !PageWords.leadsOn($0.buttonText) }),
            forms.allSatisfy({ $0.visible.allSatisfy { $0.field.kind == .checkbox } })
        {
            // The word may give consent in a language that is unknown here, to the permissions of the check boxes.
            self = .decision
        } else if forms.count == 1, forms[0].visible.allSatisfy({ $0.field.isReminder }) {
            self = .interstitial(forms[0])
        } else {
            self = .questions
        }
    }
}
