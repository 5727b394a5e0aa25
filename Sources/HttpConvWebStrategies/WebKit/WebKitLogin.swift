import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

/// One login in a view of WebKit, apart from the view: translates its events into those of the policy, and performs the
/// policy's actions. Work that takes long runs as part of the task that waits for the login, so that a question to the
/// person uses the login's screen.
@MainActor
final class WebKitLogin {
    private typealias Job = @MainActor @Sendable () async throws -> Void

    private let login: WebLogin
    private let context: ConversationContext
    private let view: any WebKitView
    private var policy: WebLoginPolicy
    private let arrival = FirstAnswer<String>()
    private let jobs: AsyncStream<Job>
    private let adding: AsyncStream<Job>.Continuation
    /// Ends the waits for jobs that will not run any more.
    private var abandons: [Int: @MainActor () -> Void] = [:]
    private var nextNumber = 0
    /// The URL that the main frame was last about to load.
    private var announced: String?
    /// The end of the page that the main frame shows: a code for it is dropped then.
    private var page = 0
    /// The number of the page that the last response will show; nil if it cannot be shown.
    private var arriving: Int?
    private var isProvisional = false
    /// The time in which a page has to come after its response, to be looked at before a trial.
    private static let arrivalLimit = Duration.seconds(5)

    /// Creates a login of a conversation in a view.
    ///
    /// - Throws: ``WebLoginError/Code/invalidConfiguration`` if the view cannot hold a setting for a server of the
    ///   login
    init(_ login: WebLogin, in context: ConversationContext, view: some WebKitView) throws {
        let settings = context.connectionPolicyBesidesTrust
        try context.requireHeldElsewhere(login, by: "A web view", settings)
        self.login = login
        self.context = context
        self.view = view
        var abilities = WebLoginPolicy.View(isAttended: true, in: context)
        abilities.connectionPolicy = settings
        // The view has no address bar that would show it.
        abilities.refusesDowngrades = true
        policy = WebLoginPolicy(login, in: abilities)
        (jobs, adding) = AsyncStream.makeStream()
    }

    /// Shows the login until its end.
    ///
    /// - Throws: ``WebLoginError``; `CancellationError` if the task is cancelled
    func run() async throws -> WebLoginOutcome {
        defer {
            adding.finish()
            for abandon in abandons.values { abandon() }
            view.remove()
        }
        for cookie in login.cookiesToBring(from: context.session.cookies) { await view.setCookie(cookie) }
        view.show()
        view.load(login.start)
        let url = try await withThrowingTaskGroup(of: Void.self) { [jobs, arrival] group in
            defer { group.cancelAll() }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await job in jobs {
                        group.addTask { do { try await job() } catch { arrival.fail(error) } }
                    }
                }
            }
            return try await arrival.value()
        }
        return WebLoginOutcome(url: url, cookies: await view.cookies())
    }

    /// Whether the login has ended.
    var isOver: Bool { policy.isOver }

    // MARK: Events

    /// Decides about an event.
    func receive(_ event: WebKitEvent) -> WebKitReply {
        guard !policy.isOver else { return .cancel }
        switch event {
        case .navigationAction(let url, let method, let type, let frame, let isDownload):
            guard let url else { return .cancel }
            if isDownload { return perform(policy.decide(.download(url))) }
            guard frame != .new else { return opensWindow(url, method) }
            return perform(policy.decide(navigation(to: url, method, type, isMainFrame: frame == .main)))
        case .createView(let url, let method):
            // A window without a URL, which a script would write into.
            guard let url, !url.isEmpty else { return .cancel }
            return opensWindow(url, method)
        case .navigationResponse(let url, let status, let isMainFrame, let canShow):
            guard let url else { return .cancel }
            if case .cancel = notAnnounced(url, isMainFrame) { return .cancel }
            _ = policy.decide(.response(from: url, status: status, isMainFrame: isMainFrame))
            return canShow ? .allow : perform(policy.decide(.download(url)))
        case .started:
            isProvisional = true
            return .allow
        case .redirected(let url): return url.map { notAnnounced($0, true) } ?? .allow
        case .committed(let url):
            isProvisional = false
            page += 1
            return perform(policy.decide(.arrived(url ?? "")))
        case .failed(let domain, let code):
            isProvisional = false
            let failure = WebLoginPolicy.Failure(domain: domain, code: code)
            if failure == .clientCertificate, let announced, let target = try? TargetURL(announced) {
                context.forgetClientIdentity(for: target)
            }
            return perform(policy.decide(.failed(failure, detail: "\(domain) \(code)", isMainFrame: true)))
        case .dialog(let dialog): return perform(policy.decide(.dialog(dialog)))
        case .closed: return perform(policy.decide(.closed))
        case .processTerminated: return perform(policy.decide(.crashed))
        }
    }

    /// Decides about the head of a response, which may be the end of a login with a trial. A page is shown first,
    /// because what it asks for decides whether the resource is tried.
    func receiveResponse(url: String?, status: Int, isMainFrame: Bool, canShow: Bool) async -> WebKitReply {
        if isMainFrame { arriving = canShow && ![204, 205].contains(status) ? page + 1 : nil }
        guard let url, let trial = login.trial, isMainFrame, case .allow = notAnnounced(url, true),
            case .tryResource = policy.decide(.response(from: url, status: status, isMainFrame: true))
        else {
            return receive(.navigationResponse(url: url, status: status, isMainFrame: isMainFrame, canShow: canShow))
        }
        if canShow {
            adding.yield { [self] in _ = try await tryResource(trial) }
            return .allow
        }
        return await asPart(otherwise: .cancel) { [self] in
            guard case .allow = try await tryResource(trial) else { return .cancel }
            return perform(policy.decide(.download(url)))
        }
    }

    /// Tries the resource until no page has arrived meanwhile.
    private func tryResource(_ trial: WebLoginTrial) async throws -> WebKitReply {
        while true {
            let question = try await question()
            let arrived = question.flatMap { question in
                policy.tried.flatMap { ArrivedPage(at: $0, asking: question) }
            }
            let isDone = try await trial.attempt(await view.cookies(), at: arrived)
            let action = policy.decide(.tried(isDone))
            guard case .tryResource = action else { return perform(action) }
        }
    }

    /// Finds out what the page of the last response asks for, once its document is complete. Returns nil if it does not
    /// come in time.
    private func question() async throws -> ArrivedPage.Question? {
        let end = ContinuousClock.now + Self.arrivalLimit
        while ContinuousClock.now < end, !policy.isOver, !policy.hasFailed {
            guard let arriving else { return .nothing }
            if page >= arriving, let look = await CodeForm(in: view).look(), look["isLoading"]?.bool == false {
                return ArrivedPage.Question(of: AskingForm.all(in: look, nil), answers: nil)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    private func navigation(to url: String, _ method: String?, _ type: Int, isMainFrame: Bool) -> WebLoginPolicy.Event {
        var kind: WebLoginPolicy.NavigationKind =
            switch type {
            case 0: .link
            case 1: .form
            case 2, 3, 4: .again
            default: .other
            }
        if isMainFrame {
            // A redirect has the type of the navigation that it belongs to.
            if isProvisional { kind = .redirect } else if announced == nil { kind = .start }
            announced = url
        }
        let method = method.flatMap { HTTPRequest.Method($0) } ?? .get
        return .navigation(to: url, method: method, kind, isMainFrame: isMainFrame)
    }

    /// Decides about a URL of the main frame that no action has announced, such as one with a user name, which WebKit
    /// leaves out of the action.
    private func notAnnounced(_ url: String, _ isMainFrame: Bool) -> WebKitReply {
        guard isMainFrame, url != announced, !policy.isOver else { return .allow }
        announced = url
        return perform(policy.decide(.navigation(to: url, .redirect, isMainFrame: true)))
    }

    /// A new window. Its request is loaded in place, except a form's: WebKit does not give its body.
    private func opensWindow(_ url: String, _ method: String?) -> WebKitReply {
        guard case .allow = perform(policy.decide(.newWindow(url))) else { return .cancel }
        guard ["GET", "HEAD", nil].contains(method?.uppercased()) else {
            context.notify("formInNewWindow", ["page": (try? TargetURL(url)).map { "\($0.origin)" } ?? "unknown"])
            return .cancel
        }
        return .loadInPlace
    }

    // MARK: Actions

    private func perform(_ action: WebLoginPolicy.Action) -> WebKitReply {
        switch action {
        case .allow: return .allow
        case .finish(let url): arrival.fulfil(url)
        case .fail(let error): arrival.fail(error)
        case .openApplication(let link, let page): adding.yield { [self] in try await open(link, from: page) }
        default: break
        }
        return .cancel
    }

    /// Does something as part of the login, and waits for it.
    private func asPart<Answer: Sendable>(
        otherwise: Answer, _ work: @escaping @MainActor @Sendable () async throws -> Answer
    ) async -> Answer {
        guard !policy.isOver else { return otherwise }
        let answer = FirstAnswer<Answer>()
        nextNumber += 1
        let number = nextNumber
        abandons[number] = { answer.fulfil(otherwise) }
        defer { abandons[number] = nil }
        adding.yield { [arrival] in
            do { answer.fulfil(try await work()) } catch {
                // Comes first, so that the error ends the login, and not a consequence of the answer.
                arrival.fail(error)
                answer.fulfil(otherwise)
            }
        }
        return (try? await answer.value()) ?? otherwise
    }

    /// Opens the application that makes codes, and fills its code in. Without it, the person enters the code.
    private func open(_ link: String, from target: TargetURL) async throws {
        guard let authenticator = login.authenticator else { return }
        do {
            guard try await authenticator.open(link, from: target) else { return }
        } catch is CancellationError { return } catch {
            context.notify("authenticatorNotOpened", ["page": "\(target.origin)"])
            return
        }
        let shown = page
        guard let code = try? await authenticator.passcode(for: target) else { return }
        guard shown == page, await CodeForm(in: view).fill(code, on: target) else {
            context.notify("codeWithoutField", ["page": "\(target.origin)"])
            return
        }
    }

    // MARK: Challenges

    /// Answers a question about a connection.
    func answer(_ challenge: WebKitChallenge) async -> WebKitAnswer {
        guard !policy.isOver, let origin = challenge.origin else { return .cancelled }
        switch challenge.method {
        case .basic: return await password(for: challenge, .basic, origin)
        case .digest: return await password(for: challenge, .digest, origin)
        case .clientCertificate: return await identity(for: challenge, origin)
        case .serverTrust: return await trust(challenge, origin)
        case .other: return .rejected
        }
    }

    /// Makes the system's form of an answer. If that is not possible, the login ends, rather than going on without it.
    func made<Credential>(_ make: () throws(ConversationError) -> Credential) -> Credential? {
        do throws(ConversationError) { return try make() } catch {
            arrival.fail(WebLoginError(.strategyFailed, error.message, underlyingError: error))
            return nil
        }
    }

    private func password(
        for challenge: WebKitChallenge, _ method: AuthenticationMethod, _ origin: Origin
    ) async -> WebKitAnswer {
        let asked = WebLoginPolicy.Challenge(
            from: origin, isProxy: challenge.isProxy, method: method, realm: challenge.realm ?? "",
            previousFailures: challenge.previousFailures)
        let action = policy.decide(.challenge(asked))
        if case .logIn(let login) = action { return .password(login) }
        guard case .askProviders(let question, let failures) = action else { return .rejected }
        return await asPart(otherwise: .cancelled) { [self] in
            let answer = try await context.answer(to: question, previousFailures: failures)
            switch policy.decide(.answer(answer, to: question)) {
            case .logIn(let login): return .password(login)
            case .fail(let error): throw error
            default: return .rejected
            }
        }
    }

    private func identity(for challenge: WebKitChallenge, _ origin: Origin) async -> WebKitAnswer {
        guard !challenge.isProxy, case .presentIdentity = policy.decide(.certificateRequest(origin)) else {
            return .noIdentity
        }
        return await asPart(otherwise: .cancelled) { [context] in
            try await context.clientIdentity(for: origin.targetURL()).map { .identity($0) } ?? .noIdentity
        }
    }

    /// The conversation's filters judge servers, after the system. A server of the login's page that they refuse ends
    /// the login.
    private func trust(_ challenge: WebKitChallenge, _ origin: Origin) async -> WebKitAnswer {
        guard !challenge.isProxy, context.judgesServers else { return .byDefault }
        let isPage = announced.flatMap { try? TargetURL($0) }?.origin == origin
        return await asPart(otherwise: .cancelled) { [context] in
            let authorities = context.serverTrustTerms(for: origin).authorities
            guard let trust = await challenge.judge(authorities) else { return .cancelled }
            do throws(ConversationError) {
                try await context.check(trust, of: origin)
                return .trusted
            } catch {
                guard isPage else { return .cancelled }
                throw WebLoginError(.pageFailed, error.message, underlyingError: error)
            }
        }
    }
}
