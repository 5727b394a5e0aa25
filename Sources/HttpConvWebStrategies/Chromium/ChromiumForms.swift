#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// Fills in the forms of the login's own page, with prepared answers or with a code that an authenticator application
/// brought. Frames are left alone.
///
/// Without a window every page must lead on by itself or by an answer; in a window the person does what is left.
final class ChromiumForms: Sendable {
    /// The page as it is at one moment.
    private struct View {
        struct Form {
            let index: Double
            let fillable: FillableForm
        }
        let url: TargetURL
        let forms: [Form]
        let text: String
    }

    private let singleUse: SingleUseAnswers
    private let names: [String]
    private let context: ConversationContext
    private let connection: DevToolsConnection
    private let isHeadless: Bool
    private let isActive: Bool
    private let entered: EnteredValues
    private let held: HeldRequests
    private let stallLimit: Duration
    /// Counts the documents of the main frame, those that are on their way included.
    private let visits = Mutex(0)
    /// Scripts may still change a form that was loaded.
    private static let settling = Duration.seconds(2)

    init(
        in context: ConversationContext, connection: DevToolsConnection, options: ChromiumStrategy.Options,
        entered: EnteredValues, held: HeldRequests
    ) {
        self.entered = entered
        self.held = held
        let answers = options.answers ?? FormAnswers()
        singleUse = answers.forOneLogin()
        names = Array(answers.answers.keys)
        // Without a window nobody else fills anything in, and what is asked for is to be told.
        isActive = options.isHeadless || options.answers != nil
        self.context = context
        self.connection = connection
        isHeadless = options.isHeadless
        stallLimit = options.stallLimit
    }

    /// The main frame goes elsewhere: what is done for the page before comes to its end.
    func leave() { visits.withLock { $0 += 1 } }

    /// Attends to a page that was loaded, until the next one is on its way.
    func attend(session: String, frame: String) async throws {
        guard isActive else { return }
        let visit = visits.withLock { visits in
            visits += 1
            return visits
        }
        let begin = ContinuousClock.now
        var sent: (names: Set<String>, at: ContinuousClock.Instant)?
        while visits.withLock({ $0 == visit }) {
            if let (view, world) = try await look(session: session, frame: frame), visits.withLock({ $0 == visit }) {
                let form = choose(view)
                let asked = Set(form?.fillable.fields.map(\.name).filter(singleUse.knows) ?? [])
                // The page that was filled in stays for a moment; after a while it is one that asks again.
                let isPending = sent.map { $0.names == asked && .now - $0.at < stallLimit } ?? false
                // A page that has nothing for an answer may be about to change by itself.
                let patience = form == nil ? stallLimit : min(stallLimit, Self.settling)
                let mayChange = asked.isEmpty && .now - begin < patience
                if !isPending, !mayChange {
                    guard let form else { return try stalled(view) }
                    guard try await fill(form, in: session, world: world) else { return try stalled(view) }
                    sent = (asked, .now)
                }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Fills in a code that came from elsewhere, if the page is still the one that led to it.
    ///
    /// - Returns: whether there was a field for it
    func deliver(_ code: Redacted<String>, to page: TargetURL, session: String, frame: String) async throws -> Bool {
        if try await fill(code, on: page, session: session, frame: frame) { return true }
        context.notify("codeWithoutField", ["page": "\(page.origin)"])
        return false
    }

    private func fill(
        _ code: Redacted<String>, on page: TargetURL, session: String, frame: String
    ) async throws -> Bool {
        let origin = page.origin
        guard let (view, world) = try await look(session: session, frame: frame),
            view.url.withoutFragment == page.withoutFragment
        else { return false }
        for form in view.forms where form.fillable.action == origin {
            let open = form.fillable.fields.filter { $0.value.isEmpty }
            guard let name = PasscodeField.likeliest(of: open.map(\.name)) else { continue }
            entered.note([name: code], secrets: [name], for: [origin])
            let arguments: [JSONValue] = [.number(form.index), .object([name: .string(code.value)])]
            _ = try await call(PageScripts.fill, arguments, session: session, world: world)
            return true
        }
        return false
    }

    private func stalled(_ view: View) throws {
        guard isHeadless else { return }
        let heldBack = entered.heldBack.sorted().joined(separator: ", ")
        let hint = heldBack.isEmpty ? "" : " Requests with prepared answers in them to \(heldBack) were held back."
        throw WebLoginError(
            .pageFailed,
            "The page at \(view.url.origin) does not lead on, has nothing that a prepared answer is for, and there is nobody to look at it.\(hint)\(held.hint)",
            pageText: view.text)
    }

    /// The form with something to answer; else one that a person would have to fill in.
    private func choose(_ view: View) -> View.Form? {
        let open = view.forms.filter { !$0.fillable.fields.isEmpty }
        return open.first { $0.fillable.fields.contains { singleUse.knows($0.name) } }
            ?? open.first { $0.fillable.fields.contains(where: \.isPassword) } ?? open.first
    }

    /// - Returns: whether the form was sent
    private func fill(_ form: View.Form, in session: String, world: JSONValue) async throws -> Bool {
        let values: [String: Redacted<String>]
        do {
            values = try await singleUse.fill(form.fillable, canAsk: !isHeadless)
        } catch let error as WebLoginError where !isHeadless {
            context.notify("formLeftToPerson", ["reason": "\(error.code)"])
            return false
        }
        guard !values.isEmpty else { return false }
        // From here on it is the requests that are looked at: the page may change where the form goes.
        let secrets = form.fillable.fields.filter { $0.isPassword || singleUse.isCode($0.name) }.map(\.name)
        entered.note(values, secrets: Set(secrets), for: singleUse.origins.filter { SecureEndpoint.isSecure($0) })
        let arguments: [JSONValue] = [.number(form.index), .object(values.mapValues { .string($0.value) })]
        return try await call(PageScripts.fill, arguments, session: session, world: world)?.bool == true
    }

    // MARK: The page

    /// Nil while there is no page that could be looked at.
    private func look(session: String, frame: String) async throws -> (View, world: JSONValue)? {
        let parameters: [String: JSONValue] = ["frameId": .string(frame), "worldName": .string("login")]
        let world: JSONValue
        do {
            let answer = try await connection.call("Page.createIsolatedWorld", parameters, in: session)
            guard let id = answer["executionContextId"] else { return nil }
            world = id
        } catch is DevToolsError { return nil }
        let value = try await call(
            PageScripts.look, [.array(names.map { .string($0) })], session: session, world: world)
        guard let value, let address = value["url"]?.text, let url = try? TargetURL(address) else { return nil }
        let text = value["text"]?.text ?? ""
        let forms = value["forms"]?.elements.compactMap { Self.form($0, on: url, text: text) } ?? []
        return (View(url: url, forms: forms, text: text), world)
    }

    /// Nil for a form that goes to no web page.
    private static func form(_ value: JSONValue, on page: TargetURL, text: String) -> View.Form? {
        guard let index = value["index"]?.number, let action = value["action"]?.text.flatMap({ try? TargetURL($0) })
        else { return nil }
        let fields = value["fields"]?.elements.compactMap { field -> FillableForm.Field? in
            guard let name = field["name"]?.text else { return nil }
            // A box that nobody has to tick is not open.
            let isOptional = field["optional"]?.bool ?? false
            return FillableForm.Field(
                name: name, value: field["value"]?.text ?? (isOptional ? "off" : ""),
                isRequired: field["required"]?.bool ?? false, isPassword: field["password"]?.bool ?? false)
        }
        return View.Form(
            index: index,
            fillable: FillableForm(page: page.origin, action: action.origin, fields: fields ?? [], pageText: text))
    }

    /// Runs a function of ours; nil where the page is gone meanwhile.
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
                ], in: session)
            return answer["result"]?["value"]
        } catch is DevToolsError { return nil }
    }
}
#endif
