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
/// request, for each page that they show, and accept only the newest one. So there is no trial at a page that asks for
/// a password or a code, and none at a page that asks for consent, unless it is at the resource's URL. This needs a
/// view that knows the page's questions.
public final class WebLoginTrial: Sendable {
    /// The maximum number of requests that one login sends.
    public static let maximumTries = 5
    /// Parameters that a login's own messages have. A page with one of them is about to go on.
    private static let protocolParameters: Set<String> = ["SAMLResponse", "SAMLart", "wresult", "code", "ticket"]

    /// Sends the pending request with cookies. The second argument is the path of a page that asks something: a
    /// redirect to that page does not end the login.
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
        /// The path of the last page that was tried, or left out because of its questions.
        var lastPath: String?
        var tries = 0
        var isTrying = false
        /// The cookies after the answer that ended the login.
        var newer: [Cookie]?
    }

    /// The origin of the resource.
    public let origin: Origin
    /// The resource, if it is known, and its path.
    private let resource: TargetURL?
    private let path: String?
    /// Whether the server always redirects to its login page, so that a page at the resource's URL is the resource.
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
        self.init(at: origin, nil, isAlwaysRedirected: false, knowing: cookies) { cookies, _ in
            try await send(cookies) ? cookies : nil
        }
    }

    /// Creates a trial of a resource.
    ///
    /// - Parameter isAlwaysRedirected: whether each challenge is a redirect
    convenience init(
        of resource: TargetURL, isAlwaysRedirected: Bool = false, knowing cookies: [Cookie] = [], _ send: @escaping Send
    ) {
        self.init(
            at: resource.origin, resource, isAlwaysRedirected: isAlwaysRedirected, knowing: cookies, send)
    }

    private init(
        at origin: Origin, _ resource: TargetURL?, isAlwaysRedirected: Bool, knowing cookies: [Cookie],
        _ send: @escaping Send
    ) {
        self.origin = origin
        self.resource = resource
        path = resource.map { ArrivedPage.path(of: $0) }
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

    /// Ends the login at the resource if that was asked for with something new, and has sent nothing in time: a challenge
    /// comes at once, and a trial would be the same request.
    ///
    /// - Parameters:
    ///   - cookies: all cookies of the view
    ///   - url: the URL of a GET without an answer
    /// - Returns: whether the login is done
    package func end(with cookies: [Cookie], atSilent url: TargetURL) -> Bool {
        guard let resource, url.withoutFragment == resource.withoutFragment else { return false }
        let own = cookies.filter { $0.concerns(origin) }
        return state.withLock { state in
            guard state.newer == nil, !state.isTrying,
                state.hasInput || !Set(own.map(Value.init)).isSubset(of: state.known)
            else { return false }
            state.newer = own
            return true
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
