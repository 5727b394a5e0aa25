#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// Fills in the forms of the login's own page, with prepared answers or with a code from an authenticator application.
/// Frames are ignored.
///
/// Without a window, every page must continue by itself or by an answer. In a window, the person does the rest.
final class ChromiumForms: Sendable {
    private enum Filling { case done, nothing, pageIsGone }

    private let singleUse: SingleUseAnswers
    private let context: ConversationContext
    private let inspector: PageInspector
    private let isHeadless: Bool
    private let isActive: Bool
    private let entered: EnteredValues
    private let held: HeldRequests
    private let trial: WebLoginTrial?
    private let stallLimit: Duration
    /// The number of pages that were left by their only button.
    private let interstitials = Mutex(0)
    /// The pages that were left by a button, with its label.
    private let pressed = Mutex<Set<[String]>>([])
    private static let maximumInterstitials = 10
    /// The largest number of buttons outside of forms that are a choice. More are a menu.
    private static let mostChoices = 6
    private let visit = Mutex(PageVisit())
    /// The codes from an application that were filled in.
    private let delivered = Mutex<Set<String>>([])
    /// The time in which a page has to come after its response, to be looked at before a trial.
    private static let arrivalLimit = Duration.seconds(5)

    init(
        for login: WebLogin, in context: ConversationContext, connection: DevToolsConnection,
        options: ChromiumStrategy.Options,
        entered: EnteredValues, held: HeldRequests
    ) {
        self.entered = entered
        self.held = held
        trial = login.trial
        let answers = options.answers ?? FormAnswers()
        singleUse = answers.forOneLogin(in: context)
        // Without a window no person fills in the forms, and the error has to name the missing field.
        isActive = options.isHeadless || options.answers != nil
        self.context = context
        isHeadless = options.isHeadless
        inspector = PageInspector(
            connection: connection, answers: singleUse, isHeadless: options.isHeadless)
        stallLimit = options.stallLimit
    }

    // The numbers are taken in the event handler, in the order of events. The work for the page happens later.

    /// Notes that the main frame leaves its page, or stays after all. Earlier work for the page ends.
    ///
    /// - Returns: the number for work from now on
    @discardableResult func beginVisit() -> Int { visit.withLock { $0.begin() } }

    /// Notes that the main frame has a new page.
    ///
    /// - Returns: the number for work from now on
    func arrive() -> Int { visit.withLock { $0.arrive() } }

    /// Notes that the person was sent to an application. The page is left alone until they come back.
    ///
    /// - Returns: the number of the page
    func openApplication() -> Int {
        visit.withLock { visit in
            visit.openApplications += 1
            return visit.page
        }
    }

    /// Notes that the person is back at the page, if it is still there.
    func closeApplication(of page: Int) {
        visit.withLock { if $0.page == page { $0.openApplications -= 1 } }
    }

    /// Notes a request that the browser holds. Pictures and the like do not count, because they do not answer the
    /// filled-in form.
    func noteRequest(kind: String) {
        guard !["Image", "Stylesheet", "Font", "Media", "Manifest", "Other"].contains(kind) else { return }
        visit.withLock { $0.requests += 1 }
    }

    /// Notes the start or the end of a request by a script.
    func noteOpen(_ request: String, isOpen: Bool) {
        visit.withLock { visit in
            if !isOpen { visit.open.remove(request) } else if visit.open.count < 1000 { visit.open.insert(request) }
        }
    }

    /// Notes a response for the main frame.
    func expect(isHTML: Bool) { visit.withLock { $0.arriving = isHTML ? $0.page + 1 : nil } }

    /// Finds out what the page of the last response asks for, once its document is complete. Returns nil if it does not
    /// come in time.
    func question(session: String, frame: String, _ policy: SharedPolicy) async throws -> ArrivedPage.Question? {
        let end = ContinuousClock.now + min(stallLimit, Self.arrivalLimit)
        while ContinuousClock.now < end, !policy.isOver, !policy.hasFailed {
            let (page, arriving) = visit.withLock { ($0.page, $0.arriving) }
            guard let arriving else { return .nothing }
            if page >= arriving, let (look, _) = try await inspector.describe(session: session, frame: frame),
                look["isLoading"]?.bool == false
            {
                return ArrivedPage.Question(of: AskingForm.all(in: look, singleUse), answers: singleUse)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// Leaves the page alone until the end of a trial.
    func pause() { visit.withLock { $0.trials += 1 } }

    /// Notes the end of a trial.
    func resume() { visit.withLock { $0.trials -= 1 } }

    /// An error without the answers that were filled in: a page may repeat them in each text of it, such as the name of
    /// a field, and in the name of the next server.
    func hidingSecrets(in error: any Error) -> any Error {
        guard let error = error as? WebLoginError else { return error }
        return error.replacingTexts { singleUse.hidingSecrets($0, mayBeCut: $1) }
    }

    /// Fills in the page, and repeats that until the browser leaves it.
    ///
    /// - Parameters:
    ///   - number: the number of the visit; does nothing once there is a newer one
    ///   - isNew: false for a page that was to be left, but stayed
    func attend(_ number: Int, session: String, frame: String, isNew: Bool) async throws {
        guard isActive else { return }
        // The time of the page's last change, or of ours.
        var begin = ContinuousClock.now
        var seen = begin
        var content: [String] = []
        while let visit = visit.withLock({ $0.number == number ? $0 : nil }) {
            if visit.openApplications > 0 || visit.trials > 0 {
                (begin, seen) = (.now, .now)
            } else if let view = try await inspector.look(session: session, frame: frame) {
                seen = .now
                if view.content != content { (begin, content) = (.now, view.content) }
                if try await attend(view, in: session, number, since: &begin, isNew: isNew) { return }
            } else if isHeadless, .now - seen > stallLimit, isNewest(number) {
                throw WebLoginError(
                    .pageFailed,
                    "The login has led to an empty page, to a file, or to something that is not a web page: look at it in a window to see where it goes."
                )
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Whether work for the page has this number, the newest one.
    func isNewest(_ number: Int) -> Bool { visit.withLock { $0.number == number } }

    /// - Returns: whether the work for the page is done
    private func attend(
        _ view: PageSnapshot, in session: String, _ number: Int, since begin: inout ContinuousClock.Instant, isNew: Bool
    ) async throws -> Bool {
        let form = choose(view)
        let asked = Set(form?.fillable.fields.map(\.name).filter(singleUse.knows) ?? [])
        // A page without a field to answer may still change by itself; a page that stayed may still lead elsewhere.
        // Fields outside of forms are on many pages, such as one for a search.
        let asksNothing = form?.isRest != false && asked.isEmpty && form?.shape.isLogin != true
        let quietTime = asksNothing ? stallLimit : min(stallLimit, PageVisit.settling)
        if asked.isEmpty || !isNew, .now - begin < quietTime { return false }
        let claim = visit.withLock { $0.claim(number, for: asked, since: begin, alert: view.alert, within: stallLimit) }
        guard let (page, hasSentNothing) = claim else { return false }
        var outcome = Filling.nothing
        do {
            if let form { outcome = try await fill(form, of: view, page, in: session) }
        } catch let error as WebLoginError where error.code == .answersRefused && hasSentNothing {
            throw sentNothing(view)
        }
        visit.withLock { visit in
            guard visit.page == page else { return }
            if outcome == .done { visit.sent?.time = .now } else { visit.sent = nil }
        }
        guard outcome == .nothing else {
            begin = .now
            return false
        }
        if let form = interstitial(view), try await fill([:], form, of: view, in: session) {
            begin = .now
            return false
        }
        // The answers are still in their fields.
        if hasSentNothing { throw sentNothing(view) }
        try stalled(view)
        return true
    }

    private func sentNothing(_ view: PageSnapshot) -> WebLoginError {
        WebLoginError(
            .pageFailed,
            "The page at \(view.url.origin) was filled in, but sent nothing: it reacted neither to a button nor to the Enter key. \(WebLoginError.buttonAdvice)",
            pageText: singleUse.hidingSecrets(view.text))
    }

    /// Fills in a code from an application, if the page is still the one that led there.
    func deliver(_ code: Redacted<String>, to page: TargetURL, session: String, frame: String) async throws {
        if try await !fill(code, on: page, session: session, frame: frame) {
            context.notify("codeWithoutField", ["page": "\(page.origin)"])
        }
    }

    /// - Returns: whether the code is in a field, from this call or an earlier one
    private func fill(
        _ code: Redacted<String>, on page: TargetURL, session: String, frame: String
    ) async throws -> Bool {
        let origin = page.origin
        let number = visit.withLock(\.page)
        guard let view = try await inspector.look(session: session, frame: frame),
            view.url.withoutFragment == page.withoutFragment
        else { return false }
        for form in view.forms where form.fillable.action == origin {
            let open = form.fillable.fields.filter { $0.value.isEmpty }
            guard let name = PasscodeField.likeliest(of: open.map(\.name)) else { continue }
            // A link that was followed twice delivers the code twice.
            guard delivered.withLock({ $0.insert(code.value).inserted }) else { return true }
            entered.note([name: code], secrets: [name], for: [origin])
            context.note(secrets: [code.value])
            let requests = visit.withLock(\.requests)
            guard try await fill([name: code], form, of: view, in: session) else { return false }
            let names = Set(form.fillable.fields.map(\.name).filter(singleUse.knows))
            let sent = PageVisit.Sent(names: names, requests: requests, alert: view.alert, time: .now)
            visit.withLock { if $0.page == number { $0.sent = sent } }
            return true
        }
        return false
    }

    /// The form whose button leads on without a question: the only button, or the one that refuses to remember the
    /// device. Values of a server only, so they stay at the page's origin (security rule S18). No page is left by the
    /// same button twice, and none on which a person could enter a text.
    private func interstitial(_ view: PageSnapshot) -> PageSnapshot.Form? {
        guard isHeadless, !view.endsSession, view.typable == 0,
            view.forms.allSatisfy({ form in !form.fillable.fields.contains { !$0.isChoice } })
        else { return nil }
        // The page's buttons without a form, such as one about cookies, count if there are no others.
        let withButtons = view.forms.filter { !$0.buttons.isEmpty }
        let forms = withButtons.contains { !$0.isRest } ? withButtons.filter { !$0.isRest } : withButtons
        guard forms.count == 1, var form = forms.first, form.fillable.action == form.fillable.page,
            !form.labels.contains(where: PageWords.consents)
        else { return nil }
        let refusal = form.labels.firstIndex(where: PageWords.refuses)
        var button: Int?
        if let refusal, PageWords.remembers(([view.heading] + form.labels).joined(separator: " ")) {
            button = refusal
        } else if form.buttons.count == 1, PageWords.leadsOn(form.labels[0]) {
            // A button for scripts without a label is a picture.
            button = form.buttons[0].sends || !form.labels[0].isEmpty ? 0 : nil
        } else if refusal == nil, form.buttons.count(where: \.sends) == 1, PageWords.leadsOn(form.labels[0]) {
            button = 0
        }
        guard let button, pressed.withLock({ $0.insert(view.content + [form.labels[button]]).inserted }) else {
            return nil
        }
        let count = interstitials.withLock { count in
            count += 1
            return count
        }
        guard count <= Self.maximumInterstitials else { return nil }
        form.button = PageSnapshot.Press(number: button, label: form.buttons[button].rawLabel)
        return form
    }

    private func stalled(_ view: PageSnapshot) throws {
        guard isHeadless else { return }
        let buttons = view.forms.flatMap { $0.isRest && $0.buttons.count > Self.mostChoices ? [] : $0.buttons }
        let labels = buttons.map(\.label)
        let mayConsent = labels.contains { !PageWords.leadsOn($0) && !PageWords.refuses($0) }
        let isDecision = buttons.count > 1 || mayConsent
        if !buttons.isEmpty, entered.heldBack.isEmpty, isDecision {
            let isNameless = buttons.contains { !$0.sends || $0.name.isEmpty }
            throw WebLoginError.undecided(
                at: view.url.origin, labels, hint: isNameless ? " \(WebLoginError.buttonAdvice)" : "",
                pageText: singleUse.hidingSecrets(view.text),
                // Each of several would be asked for. Buttons with names are often one choice.
                missingFields: buttons.filter { !$0.name.isEmpty || buttons.count == 1 }.map(\.missing)
                    .filter { !$0.name.isEmpty })
        }
        let heldBack = entered.heldBack.sorted().joined(separator: ", ")
        var hint = heldBack.isEmpty ? "" : " Requests with prepared answers in them to \(heldBack) were held back."
        if view.hasOnlyShadowFields {
            hint +=
                " Its fields are in web components (shadow roots), which are not filled in: let a person log in in a window (httpc: --web chromium)."
        }
        throw WebLoginError(
            .pageFailed,
            "The page at \(view.url.origin) does not lead on, has nothing that a prepared answer is for, and there is nobody to look at it.\(hint)\(held.hint)",
            pageText: singleUse.hidingSecrets(view.text))
    }

    /// The form with a field to answer, else one that a person would have to fill in.
    private func choose(_ view: PageSnapshot) -> PageSnapshot.Form? {
        // A form of optional choices asks nothing.
        let open = view.forms.filter { form in
            form.fillable.fields.contains { !$0.isChoice || $0.isRequired || singleUse.knows($0.name) }
        }
        if let number = singleUse.preferred(open.map(\.shape)) { return open[number] }
        return open.first(where: \.shape.isLogin) ?? open.first { $0.fillable.fields.contains(where: \.isPassword) }
            ?? open.first
    }

    private func fill(_ form: PageSnapshot.Form, of view: PageSnapshot, _ page: Int, in session: String) async throws
        -> Filling
    {
        let values: [String: Redacted<String>]
        do {
            guard try isSent(form, of: view) else { return .nothing }
            values = try await singleUse.fill(form.fillable, canAsk: !isHeadless)
        } catch let error as WebLoginError where !isHeadless {
            context.notify("formLeftToPerson", ["reason": "\(error.code)"])
            return .nothing
        }
        if values.isEmpty { return .nothing }
        // The page may have changed during the wait for a one-time code.
        guard visit.withLock({ $0.page == page }) else { return .pageIsGone }
        // From now on the requests are checked, because the page may change the form's action.
        let fields = form.fillable.fields
        let secrets = fields.filter(singleUse.isSecret)
        // Requests have the values under the names that they are sent with.
        let sent = fields.compactMap { field in values[field.name].map { (field.sentName ?? field.name, $0) } }
        entered.note(
            values.merging(sent) { first, _ in first },
            secrets: Set(secrets.flatMap { [$0.name, $0.sentName ?? $0.name] }),
            for: singleUse.origins.filter { $0.isSecure })
        return try await fill(values, form, of: view, in: session) ? .done : .pageIsGone
    }

    /// Whether a form may be sent by itself, or lacks an answer that a login may go on with: the terminal's rules.
    private func isSent(_ form: PageSnapshot.Form, of view: PageSnapshot) throws(WebLoginError) -> Bool {
        let (fields, origin) = (form.fillable.fields, view.url.origin)
        let text = singleUse.hidingSecrets(view.text)
        if view.endsSession, !form.shape.isNamedLogin, LoggedInPage.asksForPassword(fields, singleUse) {
            throw LoggedInPage.passwordRefused(at: origin, pageText: text)
        }
        guard !fields.contains(where: { singleUse.knows($0.name) }) else { return true }
        if view.endsSession {
            let asking = view.forms.filter { !$0.shape.isSearch }.map(\.fillable.fields)
            let missing = LoggedInPage.demanded(by: asking)
            if isHeadless, !missing.isEmpty {
                throw SingleUseAnswers.missing(missing.map { $0.missing() }, on: origin, pageText: text)
            }
            return false
        }
        return !form.shape.isSearch || !singleUse.hasBegun
    }

    /// - Returns: whether the form was sent
    private func fill(
        _ values: [String: Redacted<String>], _ form: PageSnapshot.Form, of view: PageSnapshot, in session: String
    ) async throws -> Bool {
        let button = form.button
        let arguments: [JSONValue] = [
            .string(view.origin), .double(form.index), .object(values.mapValues { .string($0.value) }),
            .integer(Int64(clamping: button?.number ?? -1)), .string(button?.label ?? ""),
            .bool(button?.isOutside ?? false),
        ]
        trial?.noteInput()
        return try await inspector.call(PageScripts.fill, arguments, session: session, world: view.world)?.bool == true
    }
}
#endif
