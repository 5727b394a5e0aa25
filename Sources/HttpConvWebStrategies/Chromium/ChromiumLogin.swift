#if os(Linux)
import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Performs one login in a browser, from its start page to the navigation that ends it.
struct ChromiumLogin {
    /// A page, by its DevTools session.
    struct Page {
        let session: String
        /// The id of the target and of its main frame.
        let target: String
        /// The id of the request for the document that is being loaded.
        var document: String?
        /// Whether another web page is on its way.
        var isLeaving = false
    }
    /// Work that takes longer than reading an event.
    typealias Job = @Sendable () async throws -> Void

    let login: WebLogin
    let context: ConversationContext
    let options: ChromiumStrategy.Options
    let connection: DevToolsConnection
    let arrival: FirstAnswer<End>
    private let passwords: ChromiumPasswords
    let forms: ChromiumForms
    let entered: EnteredValues
    let held: HeldRequests
    /// Jobs report to it, too.
    let policy: SharedPolicy
    private(set) var main: Page?
    /// The targets of the windows that pages have opened, by session.
    private var windows: [String: String] = [:]
    var webSockets = WebSocketReports()

    init(
        _ login: WebLogin, in context: ConversationContext, options: ChromiumStrategy.Options,
        connection: DevToolsConnection, arrival: FirstAnswer<End>
    ) {
        self.login = login
        self.context = context
        self.options = options
        self.connection = connection
        self.arrival = arrival
        var view = WebLoginPolicy.View(isAttended: !options.isHeadless, in: context)
        // In a window, the browser asks the person itself.
        view.asksForPasswords = !options.isHeadless
        view.delegatesRequests = true
        policy = SharedPolicy(WebLoginPolicy(login, in: view))
        passwords = ChromiumPasswords(context: context, connection: connection, policy: policy)
        held = HeldRequests(login, in: context, connection: connection)
        entered = EnteredValues(callersHost: context.root.target.origin.host)
        forms = ChromiumForms(
            for: login, in: context, connection: connection, options: options, entered: entered, held: held)
    }

    /// Runs until the browser ends or the task is cancelled. The result of the login goes to `arrival`.
    func run() async {
        var login = self
        await withTaskGroup(of: Void.self) { [arrival, connection, forms] jobs in
            defer { jobs.cancelAll() }
            do {
                try await login.begin()
                for await event in connection.events {
                    guard let job = login.handle(event) else { continue }
                    jobs.addTask {
                        do { try await job() } catch { arrival.fail(forms.hidingSecrets(in: error)) }
                    }
                }
                try Task.checkCancellation()
                throw WebLoginError(.browserFailed, "The browser ended unexpectedly.")
            } catch { arrival.fail(forms.hidingSecrets(in: error)) }
        }
    }

    // MARK: Commands

    /// Sets the cookies, then opens the page, whose arrival is an event.
    private func begin() async throws {
        let limit = options.answerLimit
        let version = try await connection.call("Browser.getVersion", within: limit)
        if let userAgent = version["userAgent"]?.text { entered.noteUserAgent(userAgent) }
        // Nothing is saved before the policy has decided.
        try await connection.call(
            "Browser.setDownloadBehavior", ["behavior": .string("deny"), "eventsEnabled": .bool(true)], within: limit)
        for cookie in login.cookiesToBring(from: context.session.cookies) {
            let parameters = BrowserCookies.parameters(of: cookie, for: login.cookieTargets)
            do {
                try await connection.call("Storage.setCookies", ["cookies": .array([parameters])], within: limit)
            } catch is DevToolsError {
                context.notify("cookieNotTaken", ["cookie": "\(cookie)"])
            }
        }
        // A service worker, and a worker that pages share, belong to no page.
        try await connection.call(
            "Target.setAutoAttach", Self.attach(to: "page", "shared_worker", "service_worker"), within: limit)
    }

    private static func attach(to kinds: String...) -> [String: JSONValue] {
        [
            "autoAttach": .bool(true), "waitForDebuggerOnStart": .bool(true), "flatten": .bool(true),
            "filter": .array(
                kinds.map { .object(["type": .string($0)]) } + [.object(["exclude": .bool(true)])]),
        ]
    }

    /// The commands that every page or frame gets before it runs.
    private static let preparations: [(String, [String: JSONValue])] = [
        ("Inspector.enable", [:]),
        ("Network.enable", ["maxTotalBufferSize": .integer(0), "maxResourceBufferSize": .integer(0)]),
        // Requests that a service worker sends for the page could not be held by the page's session.
        ("Network.setBypassServiceWorker", ["bypass": .bool(true)]),
        ("Page.enable", [:]),
        // Holds every request until it is released, so that a navigation is seen before it is sent.
        (
            "Fetch.enable",
            ["handleAuthRequests": .bool(true), "patterns": .array([.object(["urlPattern": .string("*")])])]
        ),
        // Workers wait for a debugger, too. Their requests are held with those of their page.
        ("Target.setAutoAttach", attach(to: "iframe", "worker")),
    ]

    private func open(_ page: Page) -> Job {
        { [connection, login, options] in
            for (method, parameters) in Self.preparations {
                try await connection.call(method, parameters, in: page.session, within: options.answerLimit)
            }
            // The answer comes with the page, which needs the events. So this does not wait for it.
            connection.send("Page.navigate", ["url": .string(login.start.absoluteString)], in: page.session)
        }
    }

    // MARK: Events

    private mutating func handle(_ event: DevToolsEvent) -> Job? {
        let parameters = event.parameters
        if policy.isOver {
            // A request that is still held when its page closes is sent.
            if event.method == "Fetch.requestPaused", let id = parameters["requestId"]?.text { refuse(id, event) }
            return nil
        }
        switch event.method {
        case "Target.attachedToTarget": return attached(parameters)
        case "Fetch.requestPaused":
            forms.noteRequest(kind: parameters["resourceType"]?.text ?? "")
            return paused(event)
        case "Fetch.authRequired":
            // The server has answered. The time from now on may be that of a question.
            if concernsMainFrame(event, kind: "resourceType") { forms.beginVisit() }
            return passwords.answer(event)
        case "Network.requestWillBeSent":
            noteOpen(event, isOpen: ["XHR", "Fetch"].contains(parameters["type"]?.text ?? ""))
            return navigates(event)
        case "Network.loadingFinished": noteOpen(event, isOpen: false)
        case "Network.responseReceived": return responded(event)
        case "Network.loadingFailed":
            held.failed(event)
            noteOpen(event, isOpen: false)
            return failed(event)
        case "Network.webSocketCreated", "Network.webSocketWillSendHandshakeRequest", "Network.webSocketFrameSent",
            "Network.webSocketClosed":
            if event.method == "Network.webSocketCreated" { held.opened(event) }
            if event.method == "Network.webSocketFrameSent" { forms.noteRequest(kind: "WebSocket") }
            return webSocket(event)
        case "Page.frameNavigated":
            held.arrived(event)
            return arrived(event)
        case "Page.frameAttached": held.attached(event)
        case "Page.navigatedWithinDocument": return moved(event)
        case "Page.loadEventFired":
            return loaded(event)
        case "Page.javascriptDialogOpening": return dialog(event)
        case "Page.windowOpen":
            guard let url = parameters["url"]?.text,
                case .openApplication(let link, let address) = policy.decide(.newWindow(url))
            else { return nil }
            return handOver(link, from: address)
        case "Browser.downloadWillBegin":
            if case .refuse = policy.decide(.download(parameters["url"]?.text ?? "")), let id = parameters["guid"] {
                connection.send("Browser.cancelDownload", ["guid": id])
            }
        case "Inspector.targetCrashed":
            return event.session == main?.session ? job(for: policy.decide(.crashed)) : nil
        case "Target.detachedFromTarget":
            guard let session = parameters["sessionId"]?.text else { return nil }
            windows[session] = nil
            return session == main?.session ? job(for: policy.decide(.closed)) : nil
        default: break
        }
        return nil
    }

    private mutating func attached(_ parameters: JSONValue) -> Job? {
        guard let session = parameters["sessionId"]?.text, let target = parameters["targetInfo"]?["targetId"]?.text
        else { return nil }
        if main == nil, parameters["targetInfo"]?["type"]?.text == "page" {
            let page = Page(session: session, target: target)
            main = page
            return open(page)
        }
        // A shared worker can send a request before the browser holds its requests (S14), so it is not started.
        if parameters["targetInfo"]?["type"]?.text == "shared_worker" { return nil }
        // A frame with its own process, another worker, or a window that a page opened.
        if parameters["targetInfo"]?["type"]?.text == "page" { windows[session] = target }
        for (method, parameters) in Self.preparations { connection.send(method, parameters, in: session) }
        connection.send("Runtime.runIfWaitingForDebugger", in: session)
        return nil
    }

    private func noteOpen(_ event: DevToolsEvent, isOpen: Bool) {
        guard let request = event.parameters["requestId"]?.text else { return }
        forms.noteOpen("\(event.session ?? "") \(request)", isOpen: isOpen)
    }

    /// Whether the event is about the document of the login's own page, as frames load documents too.
    func concernsMainFrame(_ event: DevToolsEvent, kind: String) -> Bool {
        guard let main, event.session == main.session, event.parameters["frameId"]?.text == main.target else {
            return false
        }
        return event.parameters[kind]?.text == "Document"
    }

    /// Handles a request before it is held. For schemes that the browser does not load, this is the only event.
    private mutating func navigates(_ event: DevToolsEvent) -> Job? {
        guard event.parameters["type"]?.text == "Document", let url = event.parameters["request"]?["url"]?.text else {
            return nil
        }
        switch policy.decide(navigation(to: url, event, kind: "type")) {
        case .finish(let url): return finish(url)
        case .openApplication(let url, let address): return handOver(url, from: address)
        case .fail(let error): return fail(error)
        case .refuse:
            closeWindow(event)
            return nil
        default: break
        }
        // A link to an application does not leave the page.
        guard concernsMainFrame(event, kind: "type"), (try? TargetURL(url)) != nil else { return nil }
        main?.document = event.parameters["requestId"]?.text
        main?.isLeaving = true
        let number = forms.beginVisit()
        return event.parameters["request"]?["method"]?.text == "GET" ? endAtSilence(of: url, number) : nil
    }

    /// Ends the login at the resource if that sends nothing.
    ///
    /// - Parameter number: the number of the visit that the navigation began
    private func endAtSilence(of url: String, _ number: Int) -> Job? {
        guard let trial = login.trial, trial.isCandidate(url), let target = try? TargetURL(url) else { return nil }
        return { [self] in
            try await Task.sleep(for: options.silenceLimit)
            guard forms.isNewest(number), policy.status == nil else { return }
            let cookies = try await cookies().cookies
            guard forms.isNewest(number), policy.status == nil, trial.end(with: cookies, atSilent: target) else {
                return
            }
            try await conclude(url)
        }
    }

    /// Closes a window that leads to another application. A page stays: the navigation sends no request, and
    /// `Page.stopLoading` would only abort the page's own ones.
    private mutating func closeWindow(_ event: DevToolsEvent) {
        guard let session = event.session, let window = windows[session], event.parameters["frameId"]?.text == window
        else { return }
        windows[session] = nil
        connection.send("Target.closeTarget", ["targetId": .string(window)])
    }

    func navigation(to url: String, _ event: DevToolsEvent, kind: String) -> WebLoginPolicy.Event {
        let isRedirect = ["redirectedRequestId", "redirectResponse"].contains { event.parameters[$0] != nil }
        let method = event.parameters["request"]?["method"]?.text.flatMap { HTTPRequest.Method($0) } ?? .get
        return .navigation(
            to: url, method: method, isRedirect ? .redirect : method == .post ? .form : .other,
            isMainFrame: concernsMainFrame(event, kind: kind))
    }

    /// The main frame has got its final response: perhaps the login is done.
    private func responded(_ event: DevToolsEvent) -> Job? {
        guard concernsMainFrame(event, kind: "type"), let response = event.parameters["response"],
            let url = response["url"]?.text
        else { return nil }
        let status = response["status"]?.number.flatMap { PeerNumber.integer($0, clampingTo: 0...999) } ?? 0
        let isHTML = response["mimeType"]?.text?.isHTMLType == true
        forms.expect(isHTML: isHTML && ![204, 205].contains(status))
        return tryResource(at: url, status: status)
    }

    /// The page has changed its URL by script, perhaps after a login by script.
    private func moved(_ event: DevToolsEvent) -> Job? {
        guard let main, event.session == main.session, event.parameters["frameId"]?.text == main.target,
            let url = event.parameters["url"]?.text
        else { return nil }
        return tryResource(at: url)
    }

    /// - Parameter isStuck: whether the login cannot go on at the page
    private func tryResource(at url: String, status: Int = 200, isStuck: Bool = false) -> Job? {
        guard case .tryResource = policy.decide(.response(from: url, status: status, isMainFrame: true)),
            let trial = login.trial, let main
        else { return nil }
        forms.pause()
        return { [self] in
            defer { forms.resume() }
            var isStuck = isStuck
            while true {
                let question = try await forms.question(session: main.session, frame: main.target, policy)
                let page = question.flatMap { ArrivedPage(at: policy.tried ?? url, asking: $0) }
                let isDone = try await trial.attempt(cookies().cookies, at: page, isStuck: isStuck)
                switch policy.decide(.tried(isDone)) {
                case .tryResource: isStuck = false
                case .finish(let url): return try await conclude(url)
                case .fail(let error): throw error
                default: return
                }
            }
        }
    }

    /// Opens an application that delivers a code. The page is left alone meanwhile.
    private mutating func handOver(_ url: String, from address: TargetURL) -> Job? {
        guard let authenticator = login.authenticator, let page = main else { return nil }
        // The browser will report that it gave up the link; that is expected.
        main?.document = nil
        main?.isLeaving = false
        let left = forms.openApplication()
        let number = forms.beginVisit()
        return { [self] in
            if try await authenticator.open(url, from: address) {
                let code = try await authenticator.passcode(for: address)
                try await forms.deliver(code, to: address, session: page.session, frame: page.target)
            }
            forms.closeApplication(of: left)
            try await fillIn(page, number, isNew: false)
        }
    }

    private mutating func arrived(_ event: DevToolsEvent) -> Job? {
        let frame = event.parameters["frame"]
        guard let page = main, event.session == page.session, frame?["id"]?.text == page.target else { return nil }
        _ = policy.decide(.arrived(frame?["url"]?.text ?? ""))
        main?.isLeaving = false
        let number = forms.arrive()
        // A missing image can delay the load event, but must not block the login.
        return { [self] in
            try await Task.sleep(for: options.stallLimit)
            try await fillIn(page, number, isNew: true)
        }
    }

    private mutating func loaded(_ event: DevToolsEvent) -> Job? {
        guard let page = main, event.session == page.session else { return nil }
        return page.isLeaving ? nil : attend(page, isNew: true)
    }

    private func attend(_ page: Page, isNew: Bool) -> Job {
        let number = forms.beginVisit()
        return { [self] in try await fillIn(page, number, isNew: isNew) }
    }

    /// Fills in the page. If it leads nowhere, it may have logged in by script, with no other sign than a cookie.
    private func fillIn(_ page: Page, _ number: Int, isNew: Bool) async throws {
        do {
            try await forms.attend(number, session: page.session, frame: page.target, isNew: isNew)
        } catch let error as WebLoginError where [.pageFailed, .missingAnswer, .answersRefused].contains(error.code) {
            let tree = try? await connection.call("Page.getFrameTree", in: page.session)
            if let url = tree?["frameTree"]?["frame"]?["url"]?.text { try await tryResource(at: url, isStuck: true)?() }
            if !policy.isOver { throw error.at(status: policy.status) }
        }
    }

    private mutating func failed(_ event: DevToolsEvent) -> Job? {
        guard let main, event.session == main.session, let request = event.parameters["requestId"]?.text,
            request == main.document, let reason = event.parameters["errorText"]?.text
        else { return nil }
        self.main?.isLeaving = false
        let action = policy.decide(.failed(Self.failure(reason), detail: reason, isMainFrame: true))
        // There is nothing to show (204), or it is a file: the page before stays.
        if case .allow = action, reason == "net::ERR_ABORTED" { return attend(main, isNew: false) }
        return job(for: action)
    }

    private static func failure(_ reason: String) -> WebLoginPolicy.Failure {
        if reason == "net::ERR_ABORTED" { return .nothingToShow }
        if reason.hasPrefix("net::ERR_CERT") || reason.hasPrefix("net::ERR_SSL") { return .certificate }
        let isProxy = ["PROXY", "TUNNEL", "SOCKS", "MANDATORY_PROXY"].contains { reason.hasPrefix("net::ERR_\($0)") }
        return isProxy ? .proxy : .network
    }

    /// Closes a page's dialog if there is no window: nobody would see it, and the page waits for it.
    private func dialog(_ event: DevToolsEvent) -> Job? {
        let dialog: WebLoginPolicy.Dialog =
            switch event.parameters["type"]?.text {
            case "beforeunload": .beforeUnload
            case "confirm": .confirmation
            case "prompt": .prompt
            default: .alert
            }
        if case .closeDialog(let isAccepted) = policy.decide(.dialog(dialog)) {
            connection.send("Page.handleJavaScriptDialog", ["accept": .bool(isAccepted)], in: event.session)
        }
        return nil
    }
}
#endif
