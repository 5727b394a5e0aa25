import HTTPTypes
public import HttpConversation
import Logging

/// Gets and sends tokens against cross-site request forgery, by SAP's conventions: `X-CSRF-Token: Fetch` asks for one,
/// `X-CSRF-Token` brings it along with modifying requests, and a 403 with `X-CSRF-Token: Required` demands one.
///
/// ``CommonAuthenticationConfigurator`` adds it under ``id`` to the request and response filters; remove it by that id.
/// Requests that change nothing are left alone, and so are all others until a service demands a token, or is configured
/// to have it fetched ahead (``CSRFService``). A token is good for one service, by origin and path, in one session; one
/// fetch serves all who need it. A refused request is sent once more with a new token; refused again, the caller gets
/// the 403. A token that the caller sets is left as it is.
public struct CSRFFilter: RequestFilter, ResponseFilter {
    /// The id under which configurators add the filter.
    public static let id = "HttpConvAuthFlows.CSRF"

    private let services: [CSRFService]

    /// A filter that knows some services beforehand; the nearest root wins.
    public init(services: [CSRFService] = []) {
        self.services = services.sorted { $0.root.path.utf8.count > $1.root.path.utf8.count }
    }

    // MARK: Sending

    public func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard request.method.mayModify else { return }
        let book = Self.book(context)
        let service = service(for: request.target)
        let progress = context[CSRFProgressKey.self]
        guard service?.fetchesAhead == true || progress != nil || book.stamp > 0 || book.isFetchingAnything else {
            return
        }
        var next = CSRFProgress(stamp: book.stamp, retried: progress?.retried ?? [])
        if request.headerFields[.csrfToken] == nil {
            // A login that is being tried out must not wait for a fetch, which would wait for its outcome.
            let mayWait = request.headerFields[.authorization] == nil
            next.sent = try await token(for: request.target, service, next, mayWait: mayWait, book, context)
            if let sent = next.sent {
                request.headerFields[.csrfToken] = sent.token.value.value
                // Refused once: now in the very session that the token is of.
                if next.retried.contains(sent.root) { sent.token.cookies.attach(to: &request, in: context.session) }
            }
        }
        context[CSRFProgressKey.self] = next
    }

    private func token(
        for target: TargetURL, _ service: CSRFService?, _ progress: CSRFProgress, mayWait: Bool, _ book: CSRFTokenBook,
        _ context: ConversationContext
    ) async throws -> (root: TargetURL, token: CSRFToken)? {
        if let known = book.token(for: target, among: progress.retried) ?? book.token(for: target) { return known }
        guard mayWait, let root = service?.root ?? target.suggestedServiceRoot else { return nil }
        // Where a fetch is under way, what is sent meanwhile would only be refused, too.
        guard book.isFetching(root) || (service?.fetchesAhead == true && !book.hasNothing(root)) else { return nil }
        return try await book.obtain(root, refused: nil, sentUnder: progress.stamp, in: context).map { (root, $0) }
    }

    // MARK: Receiving

    public func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard response.status == .forbidden, response.request.method.mayModify, Self.demandsToken(response.head) else {
            return .proceed
        }
        var progress = context[CSRFProgressKey.self] ?? CSRFProgress()
        // The caller's own token is the caller's business.
        if let sent = response.request.headerFields[.csrfToken], sent != progress.sent?.token.value.value {
            return .proceed
        }
        guard !progress.isRefusedAgain else {
            context.logger.notice(
                "a service refuses the CSRF token that it gave a moment ago",
                metadata: ["origin": "\(response.target.origin)"])
            return .proceed
        }
        // Nothing is fetched that could not be used: the engine says what helps.
        guard response.canBeRepeated else { return .repeatExchange(reason: "CSRF token needed") }
        // What is left of the response would hold its connection, which the fetch may need.
        await response.finish()
        guard let root = try await newToken(after: response, progress, context) else { return .proceed }
        progress.retried.insert(root)
        context[CSRFProgressKey.self] = progress
        return .repeatExchange(reason: "CSRF token fetched")
    }

    /// The service that there is a token of now: the configured or likely one, else the one whose token was refused.
    private func newToken(
        after response: ReceivedResponse, _ progress: CSRFProgress, _ context: ConversationContext
    ) async throws -> TargetURL? {
        let likely = service(for: response.target)?.root ?? response.target.suggestedServiceRoot
        let roots = [likely, progress.sent?.root].compactMap { $0 }
        for (index, root) in roots.enumerated()
        where roots.firstIndex(of: root) == index && !progress.retried.contains(root) {
            let refused = progress.sent?.root == root ? progress.sent?.token : nil
            let token = try await Self.book(context).obtain(
                root, refused: refused, sentUnder: progress.stamp, in: context)
            if token != nil { return root }
        }
        return nil
    }

    private static func demandsToken(_ head: HTTPResponse) -> Bool {
        head.headerFields[.csrfToken]?.trimmingPrefix(while: { $0 == " " }).lowercased() == "required"
    }

    private func service(for target: TargetURL) -> CSRFService? { services.first { $0.contains(target) } }

    static func book(_ context: ConversationContext) -> CSRFTokenBook { context.session.flowState { CSRFTokenBook() } }
}

extension HTTPRequest.Method {
    /// Whether a request may change something at the server (RFC 9110 §9.2.1).
    fileprivate var mayModify: Bool { ![.get, .head, .options, .trace].contains(self) }
}

extension CSRFFilter: CustomStringConvertible, CustomReflectable {
    /// The number of services that are known beforehand.
    public var description: String { "CSRFFilter with \(services.count) services" }
    public var customMirror: Mirror { Mirror(self, children: ["services": services.count]) }
}
