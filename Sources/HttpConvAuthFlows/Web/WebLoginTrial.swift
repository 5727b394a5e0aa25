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
public final class WebLoginTrial: Sendable {
    /// The most requests that one login sends.
    public static let maximumTries = 5
    /// Parameters that a login's own messages have. A page with one of them is about to go on.
    private static let protocolParameters: Set<String> = ["SAMLResponse", "SAMLart", "wresult", "code", "ticket"]

    /// Sends the pending request with cookies.
    ///
    /// - Returns: the cookies after the answer; nil if the answer was a challenge
    typealias Send = @Sendable ([Cookie]) async throws -> [Cookie]?

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
        var tries = 0
        var isTrying = false
        /// The cookies after the answer that ended the login.
        var newer: [Cookie]?
    }

    /// The origin of the resource.
    public let origin: Origin
    private let send: Send
    private let state: Mutex<State>

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - origin: the origin of the resource
    ///   - cookies: the cookies that the view gets; they alone are no reason for a try
    ///   - send: sends the pending request with cookies, and returns whether the answer is no challenge
    public convenience init(
        at origin: Origin, knowing cookies: [Cookie] = [], send: @escaping @Sendable ([Cookie]) async throws -> Bool
    ) {
        self.init(at: origin, knowing: cookies) { try await send($0) ? $0 : nil }
    }

    init(at origin: Origin, knowing cookies: [Cookie], _ send: @escaping Send) {
        self.origin = origin
        self.send = send
        state = Mutex(State(known: Set(cookies.filter { $0.concerns(origin) }.map(Value.init))))
    }

    /// Whether the login may be done once the main frame has arrived at this URL: it is at the resource's origin, and
    /// has no parameter of a login's own message.
    public func isCandidate(_ url: String) -> Bool {
        guard let target = try? TargetURL(url), target.origin == origin else { return false }
        return !FormEncoding.query(of: target.requestTarget).contains { Self.protocolParameters.contains($0.name) }
    }

    /// Sends the pending request, unless no cookie of the resource was set or changed since the last try.
    ///
    /// - Parameter cookies: all cookies of the view; those for other origins are not sent
    /// - Returns: whether the login is done
    /// - Throws: ``WebLoginError/Code/challengedAgain`` if ``maximumTries`` did not suffice; the error of the request
    public func attempt(_ cookies: [Cookie]) async throws -> Bool {
        let own = cookies.filter { $0.concerns(origin) }
        let values = Set(own.map(Value.init))
        let isWorthwhile = try state.withLock { state in
            guard state.newer == nil, !state.isTrying, !values.isSubset(of: state.known) else { return false }
            guard state.tries < Self.maximumTries else { throw failure() }
            state.tries += 1
            state.isTrying = true
            state.known.formUnion(values)
            return true
        }
        guard isWorthwhile else { return hasSucceeded }
        defer { state.withLock { $0.isTrying = false } }
        guard let newer = try await send(own) else { return false }
        state.withLock { $0.newer = newer }
        return true
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
    /// - Returns: the cookies after the answer; nil if the answer was a challenge
    func send(
        with cookies: [Cookie], recognising challenge: some LoginChallenge, in context: ConversationContext
    ) async throws -> [Cookie]? {
        let store = context.session.cookies.emptied()
        for cookie in cookies { store.insert(cookie) }
        let verdict = TrialVerdict(challenge: challenge, origin: target.origin)
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
        let verdict = TrialVerdict(challenge: challenge, origin: target.origin)
        try await send(in: context.session, verdict, context)
        guard let (head, source) = verdict.challenged else { return false }
        context.session.cookies.withdraw(
            setCookie: head.headerFields[values: .setCookie], from: source,
            suffixes: context.configuration.publicSuffixes)
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
            child.networkTimeout = min(child.networkTimeout ?? .seconds(60), .seconds(60))
        }
    }
}

/// Judges the answer to the request of a trial, and drops its body.
private final class TrialVerdict: RedirectFilter, ResponseFilter {
    static let maximumRedirects = 10

    private let challenge: any LoginChallenge
    private let origin: Origin
    private enum State {
        case waiting, accepted
        case challenged(HTTPResponse, by: TargetURL)
    }
    private let state = Mutex(State.waiting)

    init(challenge: some LoginChallenge, origin: Origin) {
        self.challenge = challenge
        self.origin = origin
    }

    /// Whether the login is not done yet.
    var isChallenge: Bool {
        state.withLock { if case .accepted = $0 { false } else { true } }
    }

    /// The challenge, and its URL; nil if none has come.
    var challenged: (head: HTTPResponse, source: TargetURL)? {
        state.withLock { if case .challenged(let head, let source) = $0 { (head, source) } else { nil } }
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        let isChallenge = challenge.isChallenge(redirect)
        if !isChallenge, redirect.destination?.origin == origin { return .follow }
        end(isChallenge, redirect.response, redirect.source)
        return .stop
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        if state.withLock({ if case .waiting = $0 { true } else { false } }) {
            end(try await challenge.isChallenge(response), response.head, response.target)
        }
        return .replace(ReplacementResponse(head: response.head, body: []))
    }

    private func end(_ isChallenge: Bool, _ head: HTTPResponse, _ source: TargetURL) {
        state.withLock { $0 = isChallenge ? .challenged(head, by: source) : .accepted }
    }
}
