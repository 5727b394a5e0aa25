import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// Loads pages through child conversations, with its own cookies, redirect by redirect, so that every navigation is
/// checked before it is sent.
struct FormBrowser: Sendable {
    /// The result of a navigation.
    enum Outcome: Sendable {
        /// The URL that ends the login.
        case finished(String)
        case arrived(LoadedPage)
    }

    private static let maximumHops = 20
    private let login: WebLogin
    private let loader: LoginPageLoader
    private let session: HttpSession
    /// The cookies of identity providers' sessions.
    private let jars: SingleSignOnCookies
    private let time: LoginPageTime

    init(_ login: WebLogin, in context: ConversationContext, time: LoginPageTime) {
        self.login = login
        self.time = time
        loader = LoginPageLoader(login: login, context: context, limit: 2 * HTMLPage.Limit.bytes)
        let store = context.session.cookies.emptied()
        for cookie in login.ownCookies(from: context.session.cookies) { store.insert(cookie) }
        session = HttpSession(cookies: store, for: context.session)
        jars = SingleSignOnCookies(login)
    }

    /// The cookies that were copied in or set by the pages.
    var cookies: [Cookie] { session.cookies.snapshot.cookies }

    /// The cookies by the origin that has set them; nil without single sign-on.
    var cookiesByOrigin: [Origin: [Cookie]]? { jars.cookies }

    /// Follows a navigation and its redirects to a page.
    func go(_ navigation: Navigation, _ policy: inout WebLoginPolicy) async throws -> Outcome {
        var next = navigation
        for _ in 0...Self.maximumHops {
            switch next.destination {
            case .finish(let url): return .finished(url)
            case .page(let target):
                let url = target.absoluteString
                let event = WebLoginPolicy.Event.navigation(
                    to: url, method: next.body == nil ? .get : .post, next.kind, isMainFrame: true)
                switch policy.decide(event) {
                case .finish(let url): return .finished(url)
                case .fail(let error): throw error
                default: try requireRecipient(target, next)
                }
                let response: ConversationResponse
                let failure: WebLoginError?
                switch try await load(target, next) {
                case .response(let head, let reason): (response, failure) = (head, reason)
                case .nothing(let error):
                    guard login.trial?.end(with: cookies, atSilent: target) == true else { throw error }
                    return .finished(url)
                }
                guard let redirected = try redirect(of: response, target, next) else {
                    var page = try page(response)
                    page.failure = failure
                    page.isForScriptless = navigation.isForScriptless
                    return .arrived(page)
                }
                next = redirected
            }
        }
        throw WebLoginError(.pageFailed, "The \(login) led over more than \(Self.maximumHops) redirects in a row.")
    }

    // MARK: Exchanges

    /// Refuses to send entered values to any origin but the one that was asked for. All requests pass this check.
    private func requireRecipient(_ target: TargetURL, _ navigation: Navigation) throws(WebLoginError) {
        if let recipient = navigation.recipient, recipient != target.origin {
            throw WebLoginError(
                .pageFailed,
                "The input for \(recipient) would go to \(target.origin), which was not asked for: it is not sent."
            )
        }
    }

    private func load(
        _ target: TargetURL, _ navigation: Navigation
    ) async throws -> LoginPageLoader.Loaded {
        var fields: HTTPFields = [.accept: "text/html, application/xhtml+xml, */*;q=0.5"]
        // Some servers bind a session to the program that has logged in.
        fields[.userAgent] = loader.context.callersFields[.userAgent]
        if let body = navigation.body {
            fields[.contentType] = body.contentType
            // Servers check these fields against forged requests. They contain no path.
            if let source = navigation.source {
                fields[.origin] = "\(source)"
                if !navigation.hidesReferrer, !target.origin.isDowngrade(from: source) {
                    fields[.referer] = "\(source)/"
                }
            }
        }
        let visit = jars.visit(target.origin, session)
        let loaded = try await time.spend(for: login) { [fields] limit in
            try await loader.loadStart(
                navigation.body == nil ? .get : .post, target, fields: fields,
                body: navigation.body.map { .bytes($0.bytes.value) }, session: visit.session, within: limit)
        }
        jars.end(visit, session)
        return loaded
    }

    private func page(_ response: ConversationResponse) throws -> LoadedPage {
        try HTMLPage.requireReader()
        var page = LoadedPage(
            url: response.url, status: response.status.code,
            html: HTMLPage(response.bytes, fields: response.headerFields))
        let policies = [page.html.referrerPolicy, response.headerFields[.referrerPolicy]]
        page.referrerPolicy = policies.lazy.compactMap { $0.flatMap(Self.lastPolicy) }.first
        page.formPolicy = FormPolicy(
            fields: response.headerFields[values: .contentSecurityPolicy], page: page.html.contentPolicies)
        // A response that browsers do not show as a page may have text of anybody: it must not ask for anything.
        page.obstacle = HTMLPage.obstacle(to: response.bytes, fields: response.headerFields)
        if page.obstacle != nil { page.html = page.html.textOnly(isShown: !HTMLPage.isFile(response.headerFields)) }
        return page
    }

    // MARK: Redirects

    /// The redirect of a response (RFC 9110 §15.4). Returns nil for a page.
    private func redirect(
        of response: ConversationResponse, _ target: TargetURL, _ navigation: Navigation
    ) throws -> Navigation? {
        let status = response.status.code
        let locations = response.headerFields[values: .location]
        guard [301, 302, 303, 307, 308].contains(status), let location = locations.first,
            locations.count > 1 || !location.trimmingSpaces.isEmpty
        else { return nil }
        guard locations.allSatisfy({ $0.hasSameBytes(as: location) }) else {
            throw WebLoginError(.pageFailed, "\(target.origin) redirects to \(locations.count) places at once.")
        }
        guard !location.hasLostBytes else {
            throw WebLoginError(
                .pageFailed,
                "\(target.origin) redirects to a URL with bytes that are not UTF-8 and not percent-encoded: its text is lost."
            )
        }
        let destination = try Reference.resolve(location, on: target, for: login)
        guard [307, 308].contains(status), let body = navigation.body else {
            return Navigation(to: destination, from: target.origin, kind: .redirect)
        }
        var next = Navigation(
            to: destination, body: body, from: target.origin, recipient: navigation.recipient,
            kind: .redirect)
        next.hidesReferrer = navigation.hidesReferrer
        return next
    }

    /// The last known policy of a list: newer ones stand behind those for older browsers.
    private static func lastPolicy(_ list: String) -> String? {
        list.asciiLowercased.split(separator: ",").map { String($0.trimmingSpaces) }.last(where: policies.contains)
    }

    private static let policies: Set = [
        "no-referrer", "never", "same-origin", "origin", "strict-origin", "origin-when-cross-origin",
        "strict-origin-when-cross-origin", "no-referrer-when-downgrade", "unsafe-url",
    ]
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
