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
    /// A snapshot of the page.
    private struct View {
        struct Form {
            let index: Double
            let fillable: FillableForm
            /// The same with what tells its purpose.
            let shape: HTMLForm
            let buttons: [WebLoginError.MissingField]
            let labels: [String]
            /// The number of the button to press among the visible ones.
            let button: Int
        }
        let url: TargetURL
        /// The page's origin as the browser writes it.
        let origin: String
        let forms: [Form]
        /// The error message, else the text.
        let text: String
        /// The title and the first heading, or else the first line of the text.
        let heading: String
        /// The isolated world of the snapshot.
        let world: JSONValue

        /// The parts whose change shows that the page is still at work: not its digits and dots, as in a clock.
        var content: [String] {
            let parts = forms.flatMap { $0.labels + $0.fillable.fields.map(\.name) }
            return [url.absoluteString, text.filter(\.isLetter)] + parts
        }
    }
    private struct Sent {
        let names: Set<String>
        /// The time when the form was sent; nil while it is being filled in.
        var time: ContinuousClock.Instant?
    }
    /// The state of the current page.
    private struct Visit {
        /// Incremented when a page arrives, is about to be left, or stays after all.
        var number = 0
        /// The number of pages that were loaded.
        var page = 0
        /// The fields that were filled in on this page.
        var sent: Sent?
        /// The number of applications that the person is not back from. The page is left alone meanwhile.
        var handedOver = 0
        /// The number of trials that run, which may end the login. The page is left alone meanwhile.
        var trials = 0
        /// The number of the page that the last response will show; nil if that is no HTML.
        var arriving: Int? = 0
    }

    private enum Filling { case done, nothing, pageIsGone }

    private let singleUse: SingleUseAnswers
    private let names: [String]
    private let context: ConversationContext
    private let connection: DevToolsConnection
    private let isHeadless: Bool
    private let isActive: Bool
    private let entered: EnteredValues
    private let held: HeldRequests
    private let trial: WebLoginTrial?
    private let stallLimit: Duration
    /// The number of pages that were left by their only button.
    private let interstitials = Mutex(0)
    private static let maximumInterstitials = 10
    private let visit = Mutex(Visit())
    /// The codes from an application that were filled in.
    private let delivered = Mutex<Set<String>>([])
    /// The time in which scripts may still change a loaded form.
    private static let settling = Duration.seconds(2)
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
        singleUse = answers.forOneLogin()
        names = Array(answers.answers.keys)
        // Without a window no person fills in the forms, and the error has to name the missing field.
        isActive = options.isHeadless || options.answers != nil
        self.context = context
        self.connection = connection
        isHeadless = options.isHeadless
        stallLimit = options.stallLimit
    }

    // The numbers are taken in the event handler, in the order of events. The work for the page happens later.

    /// Notes that the main frame leaves its page, or stays after all. Earlier work for the page ends.
    ///
    /// - Returns: the number for work from now on
    @discardableResult func turn() -> Int {
        visit.withLock { visit in
            visit.number += 1
            return visit.number
        }
    }

    /// Notes that the main frame has a new page.
    func arrive() -> Int {
        visit.withLock { visit in
            visit.page += 1
            visit.sent = nil
            visit.handedOver = 0
        }
        return turn()
    }

    /// Notes that the person was sent to an application. The page is left alone until they come back.
    ///
    /// - Returns: the number of the page
    func handOver() -> Int {
        visit.withLock { visit in
            visit.handedOver += 1
            return visit.page
        }
    }

    /// Notes that the person is back at the page, if it is still there.
    func takeBack(_ page: Int) {
        visit.withLock { if $0.page == page { $0.handedOver -= 1 } }
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
            if page >= arriving, let (look, _) = try await snapshot(session: session, frame: frame),
                look["isLoading"]?.bool == false
            {
                return ArrivedPage.Question(of: AskingForm.all(in: look), answers: singleUse)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// Leaves the page alone until the end of a trial.
    func pause() { visit.withLock { $0.trials += 1 } }

    /// Notes the end of a trial.
    func resume() { visit.withLock { $0.trials -= 1 } }

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
            if visit.handedOver > 0 || visit.trials > 0 {
                (begin, seen) = (.now, .now)
            } else if let view = try await look(session: session, frame: frame) {
                seen = .now
                if view.content != content { (begin, content) = (.now, view.content) }
                do {
                    if try await attend(view, in: session, number, since: &begin, isNew: isNew) { return }
                } catch let error as WebLoginError {
                    // A page may repeat an answer in each text of it, such as the name of a field.
                    throw error.replacingTexts { singleUse.hidingSecrets($0, mayBeCut: $1) }
                }
            } else if isHeadless, .now - seen > stallLimit, isNewest(number) {
                throw WebLoginError(
                    .pageFailed,
                    "The login has led to an empty page, to a file, or to something that is not a web page: look at it in a window to see where it goes."
                )
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func isNewest(_ number: Int) -> Bool { visit.withLock { $0.number == number } }

    /// - Returns: whether the work for the page is done
    private func attend(
        _ view: View, in session: String, _ number: Int, since begin: inout ContinuousClock.Instant, isNew: Bool
    ) async throws -> Bool {
        let form = choose(view)
        let asked = Set(form?.fillable.fields.map(\.name).filter(singleUse.knows) ?? [])
        // A page without a field to answer may still change by itself; a page that stayed may still lead elsewhere.
        let patience = form == nil ? stallLimit : min(stallLimit, Self.settling)
        if asked.isEmpty || !isNew, .now - begin < patience { return false }
        guard let page = take(asked, number, since: begin) else { return false }
        let outcome: Filling
        if let form { outcome = try await fill(form, of: view, page, in: session) } else { outcome = .nothing }
        let sent = outcome == .done ? Sent(names: asked, time: .now) : nil
        visit.withLock { if $0.page == page { $0.sent = sent } }
        guard outcome == .nothing else {
            begin = .now
            return false
        }
        if let (form, button) = interstitial(view), try await fill([:], form, of: view, pressing: button, in: session) {
            begin = .now
            return false
        }
        try stalled(view)
        return true
    }

    /// Claims the page to fill it in.
    ///
    /// - Returns: the page; nil if it is no longer the current one, or has just been filled in with the same fields
    private func take(_ asked: Set<String>, _ number: Int, since begin: ContinuousClock.Instant) -> Int? {
        visit.withLock { visit in
            guard visit.number == number else { return nil }
            // The page that was filled in stays for a moment. If it stays longer, it asks again.
            let isRecent = visit.sent?.time.map { .now - max($0, begin) < stallLimit } ?? true
            if visit.sent?.names == asked, isRecent { return nil }
            visit.sent = Sent(names: asked)
            return visit.page
        }
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
        guard let view = try await look(session: session, frame: frame),
            view.url.withoutFragment == page.withoutFragment
        else { return false }
        for form in view.forms where form.fillable.action == origin {
            let open = form.fillable.fields.filter { $0.value.isEmpty }
            guard let name = PasscodeField.likeliest(of: open.map(\.name)) else { continue }
            // A link that was followed twice delivers the code twice.
            guard delivered.withLock({ $0.insert(code.value).inserted }) else { return true }
            entered.note([name: code], secrets: [name], for: [origin])
            guard try await fill([name: code], form, of: view, in: session) else { return false }
            let names = Set(form.fillable.fields.map(\.name).filter(singleUse.knows))
            visit.withLock { if $0.page == number { $0.sent = Sent(names: names, time: .now) } }
            return true
        }
        return false
    }

    /// The form and the button that lead on without a question: the only button, or the one that refuses to remember
    /// the device. Values of a server only, so they stay at the page's origin (security rule S18).
    private func interstitial(_ view: View) -> (View.Form, Int)? {
        guard isHeadless, view.forms.allSatisfy({ form in !form.fillable.fields.contains { !$0.isChoice } }) else {
            return nil
        }
        let forms = view.forms.filter { !$0.labels.isEmpty }
        guard forms.count == 1, let form = forms.first, form.fillable.action == form.fillable.page,
            !form.labels.contains(where: PageWords.consents)
        else { return nil }
        let refusal = form.labels.firstIndex(where: PageWords.refuses)
        var button: Int?
        if let refusal, PageWords.remembers(([view.heading] + form.labels).joined(separator: " ")) { button = refusal }
        if form.labels.count == 1, PageWords.leadsOn(form.labels[0]) { button = 0 }
        guard let button else { return nil }
        let count = interstitials.withLock { count in
            count += 1
            return count
        }
        return count <= Self.maximumInterstitials ? (form, button) : nil
    }

    private func stalled(_ view: View) throws {
        guard isHeadless else { return }
        let buttons = view.forms.flatMap(\.buttons)
        let mayConsent = view.forms.flatMap(\.labels).contains { !PageWords.leadsOn($0) && !PageWords.refuses($0) }
        let isDecision = buttons.count > 1 || mayConsent
        if !buttons.isEmpty, entered.heldBack.isEmpty, isDecision {
            throw WebLoginError.undecided(
                at: view.url.origin, view.forms.flatMap(\.labels), pageText: singleUse.hidingSecrets(view.text),
                missingFields: buttons.filter { !$0.name.isEmpty })
        }
        let heldBack = entered.heldBack.sorted().joined(separator: ", ")
        let hint = heldBack.isEmpty ? "" : " Requests with prepared answers in them to \(heldBack) were held back."
        throw WebLoginError(
            .pageFailed,
            "The page at \(view.url.origin) does not lead on, has nothing that a prepared answer is for, and there is nobody to look at it.\(hint)\(held.hint)",
            pageText: singleUse.hidingSecrets(view.text))
    }

    /// The form with a field to answer, else one that a person would have to fill in.
    private func choose(_ view: View) -> View.Form? {
        // A form of optional choices asks nothing.
        let open = view.forms.filter { form in
            form.fillable.fields.contains { !$0.isChoice || $0.isRequired || singleUse.knows($0.name) }
        }
        if let number = singleUse.preferred(open.map(\.shape)) { return open[number] }
        return open.first(where: \.shape.isLogin) ?? open.first { $0.fillable.fields.contains(where: \.isPassword) }
            ?? open.first
    }

    private func fill(_ form: View.Form, of view: View, _ page: Int, in session: String) async throws -> Filling {
        let values: [String: Redacted<String>]
        do {
            values = try await singleUse.fill(form.fillable, canAsk: !isHeadless)
        } catch let error as WebLoginError where !isHeadless {
            context.notify("formLeftToPerson", ["reason": "\(error.code)"])
            return .nothing
        }
        if values.isEmpty { return .nothing }
        // The page may have changed during the wait for a one-time code.
        guard visit.withLock({ $0.page == page }) else { return .pageIsGone }
        // From now on the requests are checked, because the page may change the form's action.
        let secrets = form.fillable.fields.filter(singleUse.isSecret).map(\.name)
        entered.note(values, secrets: Set(secrets), for: singleUse.origins.filter { $0.isSecure })
        return try await fill(values, form, of: view, in: session) ? .done : .pageIsGone
    }

    /// - Parameter button: the number of the visible button to press, unless a value names one
    /// - Returns: whether the form was sent
    private func fill(
        _ values: [String: Redacted<String>], _ form: View.Form, of view: View, pressing button: Int? = nil,
        in session: String
    ) async throws -> Bool {
        let arguments: [JSONValue] = [
            .string(view.origin), .double(form.index), .object(values.mapValues { .string($0.value) }),
            .integer(Int64(clamping: button ?? form.button)),
        ]
        trial?.noteInput()
        return try await call(PageScripts.fill, arguments, session: session, world: view.world)?.bool == true
    }

    // MARK: The page

    /// The timeout for calls. In a window, a dialog blocks the page while the person reads it; a hung browser is
    /// detected elsewhere.
    private var limit: Duration { isHeadless ? DevToolsConnection.answerLimit : .seconds(24 * 3600) }

    /// Describes the page, and returns the isolated world of the description. Returns nil while there is no page to
    /// inspect.
    private func snapshot(session: String, frame: String) async throws -> (look: JSONValue, world: JSONValue)? {
        let parameters: [String: JSONValue] = ["frameId": .string(frame), "worldName": .string("login")]
        let world: JSONValue
        do {
            let answer = try await connection.call(
                "Page.createIsolatedWorld", parameters, in: session, within: limit)
            guard let id = answer["executionContextId"] else { return nil }
            world = id
        } catch is DevToolsError { return nil }
        let value = try await call(
            PageScripts.look, [.array(names.map { .string($0) })], session: session, world: world)
        return value.map { ($0, world) }
    }

    /// Returns nil while there is no page to inspect.
    private func look(session: String, frame: String) async throws -> View? {
        guard let (value, world) = try await snapshot(session: session, frame: frame),
            let address = value["url"]?.text, let url = try? TargetURL(address), let origin = value["origin"]?.text
        else { return nil }
        let alert = value["alert"]?.text ?? ""
        let body = value["text"]?.text ?? ""
        let text = alert.isEmpty ? body : alert
        let forms = value["forms"]?.elements.compactMap { Self.form($0, on: url, text: text) } ?? []
        let heading = "\(value["title"]?.text ?? "") \(value["heading"]?.text ?? "")"
        return View(url: url, origin: origin, forms: forms, text: text, heading: heading, world: world)
    }

    /// Returns nil for a form whose action is not a web page.
    private static func form(_ value: JSONValue, on page: TargetURL, text: String) -> View.Form? {
        guard let index = value["index"]?.number else { return nil }
        let buttons = value["buttons"]?.elements ?? []
        let labels = buttons.map { TerminalText.sanitise($0["label"]?.text ?? "", limit: 80) }
        let named = value["named"]?.number.flatMap { Int(exactly: $0) } ?? -1
        let button = buttons.indices.contains(named) ? named : labels.firstIndex { !PageWords.refuses($0) } ?? 0
        let written = buttons.indices.contains(button) ? buttons[button]["action"] : value["action"]
        guard let action = written?.text.flatMap({ try? TargetURL($0) }) else { return nil }
        let fields = value["fields"]?.elements.compactMap { FillableForm.Field($0) }
        var fillable = FillableForm(page: page.origin, action: action.origin, fields: fields ?? [], pageText: text)
        fillable.skipsValidation = value["skips"]?.bool ?? false
        var shape = HTMLForm()
        shape.fields = value["fields"]?.elements.map(Self.shape) ?? []
        return View.Form(
            index: index, fillable: fillable, shape: shape,
            buttons: buttons.map {
                WebLoginError.MissingField(
                    $0["name"]?.text ?? "", .choice, choices: [$0["value"]?.text ?? ""].filter { !$0.isEmpty })
            },
            labels: labels, button: button)
    }

    private static func shape(_ value: JSONValue) -> HTMLField {
        let kind: HTMLField.Kind =
            if value["choice"]?.bool ?? false {
                .checkbox
            } else if value["password"]?.bool ?? false {
                .password
            } else {
                .text
            }
        var field = HTMLField(kind, name: value["name"]?.text, value: value["value"]?.text)
        field.autocomplete = value["autocomplete"]?.text?.asciiLowercased ?? ""
        field.label = value["label"]?.text ?? ""
        return field
    }

    /// Calls one of our functions in the page. Returns nil if the page is gone.
    private func call(
        _ function: String, _ arguments: [JSONValue], session: String, world: JSONValue
    ) async throws -> JSONValue? {
        do {
            let answer = try await connection.call(
                "Runtime.callFunctionOn",
                [
                    "functionDeclaration": .string(function), "executionContextId": world,
                    "arguments": .array(arguments.map { .object(["value": $0]) }), "returnByValue": .bool(true),
                    "silent": .bool(true), "userGesture": .bool(true),
                ], in: session, within: limit)
            return answer["result"]?["value"]
        } catch is DevToolsError { return nil }
    }
}
#endif
