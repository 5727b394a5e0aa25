import HTTPTypes
import HttpConvConcurrency
import HttpConversation
import Logging

/// Gets and sends tokens against cross-site request forgery, by SAP's conventions: `X-CSRF-Token: Fetch` asks for a
/// token, `X-CSRF-Token` carries it in modifying requests, and a 403 with `X-CSRF-Token: Required` demands one.
///
/// Only modifying requests get tokens, and only after a service has demanded one or is configured to have it fetched
/// ahead (``CSRFService``). A token is valid for one service, by origin and path, in one session. One fetch serves all
/// waiting requests. A refused request is repeated once with a new token; if that is refused too, the caller gets the
/// 403. A token that the caller sets is left unchanged.
struct CSRFFilter: RequestFilter, ResponseFilter {
    let services: [CSRFService]

    /// A filter with configured services; the nearest root wins.
    init(services: [CSRFService]) {
        self.services = services.sorted { $0.root.path.utf8.count > $1.root.path.utf8.count }
    }

    // MARK: Sending

    var preparesRequests: Bool { false }

    func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) -> Bool {
        !request.method.mayModify
    }

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let cache = Self.cache(context)
        let service = service(for: request.target)
        let progress = context[CSRFProgressKey.self]
        guard service?.fetchesAhead == true || progress != nil || !cache.isEmpty else { return }
        var next = CSRFProgress(retried: progress?.retried ?? [])
        if request.headerFields[.csrfToken] == nil {
            // A login attempt must not wait for a fetch, which would wait for the login's outcome.
            let mayFetch = request.headerFields[.authorization] == nil
            next.sent = try await token(for: request.target, mayFetch ? service : nil, next, cache, context)
            if let sent = next.sent {
                request.headerFields[.csrfToken] = sent.token.value.value
                // After one refusal, send the cookies of the session that the token belongs to.
                if next.retried.contains(sent.root) { sent.token.cookies.attach(to: &request, in: context.session) }
            }
        }
        context[CSRFProgressKey.self] = next
    }

    private func token(
        for target: TargetURL, _ service: CSRFService?, _ progress: CSRFProgress, _ cache: CSRFTokenCache,
        _ context: ConversationContext
    ) async throws -> (root: TargetURL, token: CSRFToken)? {
        let fields = CSRFTokenFetch.fields(of: context, for: target.origin)
        if let known = cache.token(for: target, fields, among: progress.retried) ?? cache.token(for: target, fields) {
            return known
        }
        guard let service, service.fetchesAhead else { return nil }
        let place = CSRFPlace(root: service.root(for: target), fields: fields)
        guard !cache.hasNothing(place) else { return nil }
        return try await context.perform(Self.fetch(place)).map { (place.root, $0) }
    }

    // MARK: Receiving

    /// The demand for a token is in a header field.
    var inspectsBodies: Bool { false }

    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        Self.demandsToken(head) && head.status == .forbidden
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard response.request.method.mayModify else { return .proceed }
        let progress = context[CSRFProgressKey.self] ?? CSRFProgress()
        // A token of the caller's own is left to the caller.
        if let sent = response.request.headerFields[.csrfToken], sent != progress.sent?.token.value.value {
            return .proceed
        }
        guard !progress.isRefusedAgain else {
            context.logger.notice(
                "a service refuses the CSRF token that it gave a moment ago",
                metadata: ["origin": "\(response.target.origin)"])
            return .proceed
        }
        guard let step = newToken(for: roots(for: response.target, progress), progress, context) else {
            return .proceed
        }
        return .repeatExchange(reason: "CSRF token fetched", after: step)
    }

    /// The roots to fetch a token from: the configured or likely service, and the one whose token was refused.
    private func roots(for target: TargetURL, _ progress: CSRFProgress) -> ArraySlice<TargetURL> {
        let likely = service(for: target)?.root(for: target) ?? target.suggestedServiceRoot
        let refused = progress.sent?.root
        let roots = [likely, refused == likely ? nil : refused].compactMap { $0 }
        return roots.filter { !progress.retried.contains($0) }[...]
    }

    /// A step that fetches a token from the first service that has one.
    private func newToken(
        for roots: ArraySlice<TargetURL>, _ progress: CSRFProgress, _ context: ConversationContext
    ) -> ConversationStep<StepOutcome>? {
        guard let root = roots.first else { return nil }
        let refused = progress.sent?.root == root ? progress.sent?.token.fetch : nil
        let place = CSRFPlace(root: root, fields: CSRFTokenFetch.fields(of: context, for: root.origin))
        return Self.fetch(place, insteadOf: refused).map { token in
            guard token != nil else {
                return newToken(for: roots.dropFirst(), progress, context).map { .next($0) } ?? .declined
            }
            var next = progress
            next.retried.insert(root)
            context[CSRFProgressKey.self] = next
            return .done
        }
    }

    /// A step that fetches a token. Concurrent callers share it, and requests that would be refused without a token
    /// wait. A service without tokens is not asked again for requests that were in flight then.
    ///
    /// - Parameter refused: the fetch whose token was refused
    private static func fetch(
        _ place: CSRFPlace, insteadOf refused: UInt64? = nil
    ) -> ConversationStep<CSRFToken?> {
        ConversationStep(
            FetchKey(place: place),
            covers: { request, _ in
                request.method.mayModify && place.root.isServiceRoot(of: request.target)
            },
            policy: StepPolicy(remembers: .outcomes)
        ) { context in
            let cache = cache(context)
            if let known = cache.token(of: place), known.fetch != refused { return known }
            return cache.keep(try await CSRFTokenFetch(place: place, context: context).run(), of: place)
        }
    }

    private struct FetchKey: Hashable, Sendable {
        let place: CSRFPlace
    }

    /// The key of a fetch, for tests that hold it until all requests wait.
    static func key(_ root: TargetURL) -> SendableKey {
        SendableKey(FetchKey(place: CSRFPlace(root: root, fields: [:])), for: CSRFToken?.self)
    }

    private static func demandsToken(_ head: HTTPResponse) -> Bool {
        head.headerFields.value(of: .csrfToken)?.trimmingPrefix(while: { $0 == " " }).lowercased() == "required"
    }

    private func service(for target: TargetURL) -> CSRFService? { services.first { $0.contains(target) } }

    static func cache(_ context: ConversationContext) -> CSRFTokenCache {
        context.session.flowState { CSRFTokenCache() }
    }
}

extension HTTPRequest.Method {
    /// Whether a request may change something at the server (RFC 9110 §9.2.1).
    fileprivate var mayModify: Bool { self != .get && self != .head && self != .options && self != .trace }
}

extension CSRFFilter: CustomStringConvertible, CustomReflectable {
    /// The number of configured services.
    var description: String { "CSRFFilter with \(services.count) services" }
    var customMirror: Mirror { Mirror(self, children: ["services": services.count]) }
}

/// The CSRF filter's state in one conversation.
struct CSRFProgress: Sendable {
    /// The token of the last exchange, and the root of its service.
    var sent: (root: TargetURL, token: CSRFToken)?
    /// Services for which a refused request was repeated; each gets one repetition.
    var retried: Set<TargetURL> = []

    /// Whether the token of a repetition was refused, too.
    var isRefusedAgain: Bool { sent.map { retried.contains($0.root) } ?? false }
}

/// The context key of ``CSRFProgress``.
enum CSRFProgressKey: ConversationContextKey {
    typealias Value = CSRFProgress
}
