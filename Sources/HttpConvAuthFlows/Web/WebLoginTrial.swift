import HTTPTypes
import HttpConvFormats
public import HttpConversation
import Synchronization

/// The end of a login that leads to no certain URL: the pending request is sent with the view's cookies, and an answer
/// without a challenge ends the login.
///
/// A strategy calls ``attempt(_:)`` each time the main frame has arrived at a page for which ``isCandidate(_:)`` holds.
/// The request goes over the conversation's transport with its settings (security rule S28). It has the cookies for the
/// resource's origin only, and its redirects are followed within that origin only. So a page of another origin cannot
/// end a login.
///
/// A trial is a request of the same session as the login. Many servers make a new token, or a new authentication
/// request, for each page that they show, and accept only the newest one. So a page that asks for a password or code is
/// not tried, nor one away from the resource's URL that asks for consent, where the view knows what a page asks for.
public final class WebLoginTrial: Sendable {
    /// The maximum number of requests that one login sends.
    public static let maximumTries = 5
    /// Parameters that a login's own messages have. A page with one of them is about to go on.
    private static let protocolParameters: Set<String> = ["SAMLResponse", "SAMLart", "wresult", "code", "ticket"]

    /// Sends the pending request with cookies. The second argument is the path of a page that asks something: a
    /// redirect there is no end of the login.
    ///
    /// - Returns: the cookies after the answer; nil if the answer was a challenge, or led to that page
    typealias Send = @Sendable ([Cookie], String?) async throws -> [Cookie]?

    /// A cookie with its value.
    private struct Value: Hashable {
        let identity: CookieIdentity
        let value: String

        init(_ cookie: Cookie) {
            identity = CookieIdentity(cookie)
            value = cookie.value
        }
    }

    private struct State {
        /// All cookies that the resource had at a try before, or at the start.
        var known: Set<Value>
        /// Its cookies at the last arrival, whether that was tried or not, or at the start.
        var shown: Set<Value>
        /// Whether a form was sent or filled in since the last try, and whether one ever was.
        var hasInput = false
        var wasEntered = false
        /// The path of the last page that was tried, or not tried because of what it asks for.
        var lastPath: String?
        var tries = 0
        var isTrying = false
        /// The cookies after the answer that ended the login.
        var newer: [Cookie]?
    }

    /// The origin of the resource.
    public let origin: Origin
    /// The path of the resource, if it is known.
    private let path: String?
    /// Whether a page at the resource's URL is no login page, because the server always redirects to that.
    private let isAlwaysRedirected: Bool
    private let send: Send
    private let state: Mutex<State>

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - origin: the origin of the resource
    ///   - cookies: the cookies that the view gets; they alone do not cause a try
    ///   - send: sends the pending request with cookies, and returns false if the answer is a challenge
    public convenience init(
        at origin: Origin, knowing cookies: [Cookie] = [], send: @escaping @Sendable ([Cookie]) async throws -> Bool
    ) {
        self.init(at: origin, path: nil, isAlwaysRedirected: false, knowing: cookies) { cookies, _ in
            try await send(cookies) ? cookies : nil
        }
    }

    /// Creates a trial of a resource.
    ///
    /// - Parameter isAlwaysRedirected: whether each challenge is a redirect
    convenience init(
        of resource: TargetURL, isAlwaysRedirected: Bool = false, knowing cookies: [Cookie] = [], _ send: @escaping Send
    ) {
        let path = ArrivedPage.path(of: resource)
        self.init(
            at: resource.origin, path: path, isAlwaysRedirected: isAlwaysRedirected, knowing: cookies, send)
    }

    private init(
        at origin: Origin, path: String?, isAlwaysRedirected: Bool, knowing cookies: [Cookie], _ send: @escaping Send
    ) {
        self.origin = origin
        self.path = path
        self.isAlwaysRedirected = isAlwaysRedirected
        self.send = send
        let known = Set(cookies.filter { $0.concerns(origin) }.map(Value.init))
        state = Mutex(State(known: known, shown: known))
    }

    /// Whether the login may be done once the main frame has arrived at this URL: it is at the resource's origin, and
    /// has no parameter of a login's own message.
    public func isCandidate(_ url: String) -> Bool {
        guard let target = try? TargetURL(url), target.origin == origin else { return false }
        return !FormEncoding.query(of: target.requestTarget).contains { Self.protocolParameters.contains($0.name) }
    }

    /// Sends the pending request, unless there is no reason for it: a cookie of the resource that was set or changed
    /// since the last try, or a form that was sent since, as ``WebLoginPolicy`` notes. Many servers keep the session's
    /// cookie over the login.
    ///
    /// - Parameter cookies: all cookies of the view; those for other origins are not sent
    /// - Returns: whether the login is done
    /// - Throws: ``WebLoginError/Code/challengedAgain`` if ``maximumTries`` did not suffice; the error of the request
    public func attempt(_ cookies: [Cookie]) async throws -> Bool { try await attempt(cookies, at: nil) }

    /// Sends the pending request if there is a reason for it and the page may be the resource, or the end of a login
    /// elsewhere. A page at another path than the one before is a reason, too, unless only two tries are left.
    ///
    /// - Parameters:
    ///   - cookies: all cookies of the view; those for other origins are not sent
    ///   - page: the page of the main frame; nil if the view does not know it
    ///   - isStuck: whether the login cannot go on at the page, so that a trial disturbs nothing
    /// - Returns: whether the login is done
    /// - Throws: ``WebLoginError/Code/challengedAgain``; the error of the request
    package func attempt(
        _ cookies: [Cookie], at page: ArrivedPage?, isStuck: Bool = false
    ) async throws -> Bool {
        let own = cookies.filter { $0.concerns(origin) }
        let values = Set(own.map(Value.init))
        let isWorthwhile = try state.withLock { state in
            guard state.newer == nil, !state.isTrying else { return false }
            defer { (state.lastPath, state.shown) = (page?.path, values) }
            let isNew = !values.isSubset(of: state.known)
            let hasNewCookies = state.wasEntered && !values.isSubset(of: state.shown)
            let isElsewhere = if let page, let last = state.lastPath { page.path != last } else { false }
            // Pages that lead from one to the next leave tries for the end of the login.
            let isReason = isElsewhere && state.tries < Self.maximumTries - 2
            guard isNew || state.hasInput || isReason, isStuck || mayBeEnd(page, withNewCookies: hasNewCookies) else {
                return false
            }
            guard state.tries < Self.maximumTries else {
                guard isNew || state.hasInput, !isStuck else { return false }
                throw failure()
            }
            state.tries += 1
            state.isTrying = true
            state.hasInput = false
            state.known.formUnion(values)
            return true
        }
        guard isWorthwhile else { return hasSucceeded }
        defer { state.withLock { $0.isTrying = false } }
        guard let newer = try await send(own, demand(page, isStuck: isStuck)) else { return false }
        state.withLock { $0.newer = newer }
        return true
    }

    /// Whether the login may be done at a page, so that a trial is worth the risk that it invalidates the page's form.
    ///
    /// - Parameter hasNewCookies: whether something was entered, and cookies are new since the last arrival
    private func mayBeEnd(_ page: ArrivedPage?, withNewCookies hasNewCookies: Bool) -> Bool {
        switch page?.question {
        case nil, .nothing: true
        case .decision: page?.path == path
        case .text(let isDemanded): page?.path == path || hasNewCookies && !isDemanded
        case .login: page?.path == path && (hasNewCookies || isAlwaysRedirected)
        }
    }

    /// The path of a page that asks something and is not the resource: there the login has to go on.
    private func demand(_ page: ArrivedPage?, isStuck: Bool) -> String? {
        guard let page, page.path != path else { return nil }
        return switch page.question {
        case .nothing: nil
        case .text(let isDemanded): isDemanded || isStuck ? page.path : nil
        case .decision, .login: page.path
        }
    }

    /// Notes that a form was sent or filled in, by the person or with prepared answers: the server may have accepted it
    /// without a new cookie.
    package func noteInput() {
        state.withLock { state in
            state.hasInput = true
            state.wasEntered = true
        }
    }

    /// Whether a try has ended the login.
    public var hasSucceeded: Bool { state.withLock { $0.newer != nil } }

    /// The resource's cookies after the last try: a server may change them with every answer.
    var newerCookies: [Cookie] { state.withLock { $0.newer ?? [] } }

    private func failure() -> WebLoginError {
        WebLoginError(
            .challengedAgain,
            """
            The login has come back to \(origin) \(Self.maximumTries + 1) times, and each time \(origin) still wanted a \
            login. Was the input wrong, is the person authorised for this resource, are the cookies limited to another \
            path or domain, or does the configuration's description of a challenge also fit the resource itself?
            """)
    }
}

/// The pending request of a conversation as a GET: for the trials of its login, and for the page that a HEAD does not
/// show.
struct PendingRequest: Sendable {
    let target: TargetURL
    let fields: HTTPFields

    /// - Parameters:
    ///   - entry: the first URL of the resource's origin in the conversation
    ///   - start: the configured start of the login, if any
    init(at entry: TargetURL, start: TargetURL?, of context: ConversationContext) {
        let isSafe = context.callersMethod == .get || context.callersMethod == .head
        target = isSafe || start?.origin != entry.origin ? entry : start ?? entry
        var fields = context.callersFields
        if entry.origin != context.target.origin {
            let secret = Set(CredentialPolicy.namesOfSecrets(in: fields))
            fields = HTTPFields(fields.filter { !secret.contains($0.name.canonicalName) })
        }
        self.fields = Self.withoutBody(fields)
    }

    /// Nil if the credential of the HEAD is for that request only.
    ///
    /// - Parameter response: the answer to a HEAD
    init?(pageOf response: ReceivedResponse, in context: ConversationContext) {
        var fields = response.request.headerFields
        let scheme = fields[.authorization]?.prefix { $0 != " " }.lowercased() ?? "none"
        guard ["none", "basic", "bearer"].contains(scheme) else { return nil }
        target = response.target
        if context.configuration.handlesCookies, let sent = fields[.cookie] {
            // The session adds its cookies, which the answer may have changed.
            let callers = target.origin == context.target.origin ? context.callersFields[.cookie] : nil
            let dropped = Set(context.session.cookies.cookies(for: target).map(\.name))
                .subtracting(Self.cookies(in: callers ?? "").map(\.name))
            let kept = Self.cookies(in: sent).filter { !dropped.contains($0.name) }.map(\.pair)
            fields[.cookie] = kept.isEmpty ? nil : kept.joined(separator: "; ")
        }
        self.fields = Self.withoutBody(fields)
    }

    private static func cookies(in field: String) -> [(name: String, pair: String)] {
        field.split(ascii: ";").map { pair in
            (String(pair.prefix { $0 != "=" }.trimmingSpaces), String(pair.trimmingSpaces))
        }
    }

    /// The fields without those that describe a body or are about framing, and without preconditions, which would be
    /// met by any answer.
    private static func withoutBody(_ fields: HTTPFields) -> HTTPFields {
        let dropped = ["content-", "if-"]
        return HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                return !dropped.contains { name.hasPrefix($0) } && field.name != .expect && field.name != .range
                    && field.name != .transferEncoding
            })
    }

    /// Sends the request with cookies, in a child conversation.
    ///
    /// - Parameter demand: the path of a page where the login has to go on; a redirect there is not followed
    /// - Returns: the cookies after the answer; nil if the answer was a challenge, or led to that page
    func send(
        with cookies: [Cookie], unlessAt demand: String?, recognising challenge: some LoginChallenge,
        in context: ConversationContext
    ) async throws -> [Cookie]? {
        let store = context.session.cookies.emptied()
        for cookie in cookies { store.insert(cookie) }
        let verdict = TrialVerdict(challenge: challenge, origin: target.origin, demand: demand)
        do throws(ConversationError) {
            try await send(in: HttpSession(cookies: store, for: context.session), verdict, context)
        } catch  where error.code == .tooManyRedirects {
            return nil
        } catch {
            try Task.checkCancellation()
            throw WebLoginError(
                .pageFailed,
                "Whether the login is done could not be found out: \(target.origin) did not answer. \(error.message)",
                underlyingError: error)
        }
        return verdict.isChallenge ? nil : store.snapshot.cookies.filter { $0.concerns(target.origin) }
    }

    /// Sends the request with the conversation's cookies, in a child conversation.
    ///
    /// - Returns: whether the answer was a challenge. Then its cookies are dropped: the login gets its own
    func isChallenged(
        recognising challenge: some LoginChallenge, in context: ConversationContext
    ) async throws(ConversationError) -> Bool {
        let verdict = TrialVerdict(challenge: challenge, origin: target.origin, demand: nil)
        try await send(in: context.session, verdict, context)
        guard let challenge = verdict.challenged else { return false }
        context.session.cookies.withdraw(
            setCookie: challenge.head.headerFields[values: .setCookie], from: challenge.source, sent: challenge.sent,
            own: fields[.cookie], suffixes: context.configuration.publicSuffixes)
        return true
    }

    private func send(
        in session: HttpSession, _ verdict: TrialVerdict, _ context: ConversationContext
    ) async throws(ConversationError) {
        _ = try await context.start(HTTPRequest(.get, target, fields: fields)) { child in
            child.session = session
            child.redirects.follows = true
            child.redirects.maximumRedirects = TrialVerdict.maximumRedirects
            child.redirectFilters.add(verdict)
            child.responseFilters.add(verdict)
            child.limitNetworkTime(to: .seconds(60))
        }
    }
}

/// Judges the answer to the request of a trial, and drops its body.
private final class TrialVerdict: RedirectFilter, ResponseFilter {
    static let maximumRedirects = 10

    private let challenge: any LoginChallenge
    private let origin: Origin
    /// The path of a page where the login has to go on.
    private let demand: String?
    private enum State {
        case waiting, accepted
        case challenged(Challenge)
    }
    /// A challenge, its URL, and the `Cookie` field of its request.
    typealias Challenge = (head: HTTPResponse, source: TargetURL, sent: String?)
    private let state = Mutex(State.waiting)

    init(challenge: some LoginChallenge, origin: Origin, demand: String?) {
        self.challenge = challenge
        self.origin = origin
        self.demand = demand
    }

    /// Whether the login is not done yet.
    var isChallenge: Bool {
        state.withLock { if case .accepted = $0 { false } else { true } }
    }

    /// The challenge; nil if none has come.
    var challenged: Challenge? {
        state.withLock { if case .challenged(let challenge) = $0 { challenge } else { nil } }
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        var isChallenge = challenge.isChallenge(redirect)
        if let demand, let destination = redirect.destination, destination.origin == origin,
            ArrivedPage.path(of: destination) == demand
        {
            isChallenge = true
        }
        if !isChallenge, redirect.destination?.origin == origin { return .follow }
        end(isChallenge, (redirect.response, redirect.source, redirect.sentCookies?.value))
        return .stop
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        if state.withLock({ if case .waiting = $0 { true } else { false } }) {
            let sent = response.request.headerFields[.cookie]
            end(try await challenge.isChallenge(response), (response.head, response.target, sent))
        }
        return .replace(ReplacementResponse(head: response.head, body: []))
    }

    private func end(_ isChallenge: Bool, _ challenge: Challenge) {
        state.withLock { $0 = isChallenge ? .challenged(challenge) : .accepted }
    }
}
