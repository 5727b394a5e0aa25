import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization

/// The pending request of a conversation as a GET: for the trials of its login, and for the page that a HEAD does not
/// show.
struct PendingRequest: Sendable {
    /// The time limit of a request.
    private static let longestTime = Duration.seconds(60)

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
    /// - Returns: the cookies after the answer, or the same ones if nothing has come in time; nil if the answer was a
    ///   challenge, or led to that page
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
        } catch  where error.code == .timedOut && error.challenge == nil && verdict.isSilent {
            try Task.checkCancellation()
            // A challenge comes at once. The resource may need more time than a trial has.
            return cookies
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
            child.limitNetworkTime(to: Self.longestTime)
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
        /// Nothing has come yet.
        case silent
        /// An answer has come, and is not judged yet.
        case waiting
        case accepted
        case challenged(Challenge)
    }
    /// A challenge, its URL, and the `Cookie` field of its request.
    typealias Challenge = (head: HTTPResponse, source: TargetURL, sent: String?)
    private let state = Mutex(State.silent)

    init(challenge: some LoginChallenge, origin: Origin, demand: String?) {
        self.challenge = challenge
        self.origin = origin
        self.demand = demand
    }

    /// Whether the login is not done yet.
    var isChallenge: Bool {
        state.withLock { if case .accepted = $0 { false } else { true } }
    }

    /// Whether nothing has come.
    var isSilent: Bool { state.withLock { if case .silent = $0 { true } else { false } } }

    /// The challenge; nil if none has come.
    var challenged: Challenge? {
        state.withLock { if case .challenged(let challenge) = $0 { challenge } else { nil } }
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        begin()
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
        if begin() {
            let sent = response.request.headerFields[.cookie]
            end(try await challenge.isChallenge(response), (response.head, response.target, sent))
        }
        return .replace(ReplacementResponse(head: response.head, body: []))
    }

    /// Notes that something has come.
    ///
    /// - Returns: whether nothing was judged before
    @discardableResult private func begin() -> Bool {
        state.withLock { state in
            if case .silent = state { state = .waiting }
            return if case .waiting = state { true } else { false }
        }
    }

    private func end(_ isChallenge: Bool, _ challenge: Challenge) {
        state.withLock { $0 = isChallenge ? .challenged(challenge) : .accepted }
    }
}
