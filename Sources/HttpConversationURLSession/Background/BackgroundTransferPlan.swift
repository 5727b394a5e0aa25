public import HTTPTypes
public import HttpConversation
import Synchronization

/// A transfer that may be handed to the system, which performs it while the application is suspended or terminated.
///
/// A background session follows every redirect and sends the request's fields there too. So they contain no secret
/// unless the application allows that. Cookies go into the store that the session uses, the application's own
/// (`HTTPCookieStorage.shared`) or its group's, which sends them to their servers only. One store holds one session of
/// a server: a transfer with another value of a cookie, or without it, is refused until the running transfers that need
/// it have ended. If the manager handles no cookies, the transfer has none, not even the store's.
public struct BackgroundTransferPlan: Sendable {
    /// The policy for secret fields.
    public struct Policy: Sendable {
        /// Whether fields that may be secret, such as `Authorization`, are sent, although every server that a redirect
        /// leads to sees them.
        public var sendsSecretFields = false

        /// Sends no secret fields.
        public init() {}

        /// Throws if fields may be secret, and the policy does not allow them.
        func check(_ fields: HTTPFields, for target: TargetURL) throws(ConversationError) {
            let secret = CredentialPolicy.namesOfSecrets(in: fields)
            guard sendsSecretFields || secret.isEmpty else {
                let names = secret.joined(separator: ", ")
                throw ConversationError(
                    .invalidRequest,
                    "The request to \(target.origin) has fields that may be secret (\(names)), and a background session shows them to every server that a redirect leads to. Nothing was sent: log in by cookies, transfer in the foreground, or allow it (BackgroundTransferPlan.Policy.sendsSecretFields)."
                )
            }
        }
    }

    /// The conversation that the transfer belongs to.
    public var conversationID: ConversationID { context.id }
    /// The context of that conversation.
    let context: ConversationContext
    /// The method.
    public let method: HTTPRequest.Method
    /// The URL of the request.
    public let target: TargetURL
    /// The fields, which every server that a redirect leads to sees.
    public let headerFields: HTTPFields
    /// The cookies, which only their own servers get.
    public let cookies: [Cookie]
    /// Whether the system sends cookies of its store, and stores those of the answer.
    let handlesCookies: Bool
}

extension HttpConversationManager {
    /// Logs in if necessary, and returns the request that the system may perform in the background.
    ///
    /// The login happens at once, while a person can be asked: with
    /// ``/HttpConversation/HttpConversationManager/preflight(_:fields:)`` and the request's own fields, apart from
    /// those about its body. The manager's delegate is told of the login: see ``BackgroundTransfers``.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest`` if the request needs a field that may be
    ///   secret, and `policy` does not allow it; ``/HttpConversation/ConversationError/Code/authenticationFailed`` if
    ///   the server still demands a login; ``/HttpConversation/ConversationError/Code/invalidConfiguration`` if it
    ///   has asked for a client certificate, which the system cannot show; else the errors of every conversation
    public func planBackgroundTransfer(
        for request: HTTPRequest, policy: BackgroundTransferPlan.Policy = .init()
    ) async throws(ConversationError) -> BackgroundTransferPlan {
        try await planBackgroundTransfer(for: request, policy: policy) { _ in }
    }

    /// Plans a transfer, with values in the contexts of the login and of the transfer.
    func planBackgroundTransfer(
        for request: HTTPRequest, policy: BackgroundTransferPlan.Policy,
        prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> BackgroundTransferPlan {
        let asked = try ConversationRequest(request)
        try requireNoSettings(for: asked.target)
        try policy.check(request.headerFields, for: asked.target)
        let answer = try await preflight(
            asked.target, fields: Self.fieldsOfLogin(request.headerFields), prepare: prepare)
        guard answer.status.code != 401, answer.status.code != 407 else {
            throw ConversationError(
                .authenticationFailed,
                "\(asked.target.origin) asks for a login that is not configured here: the transfer would fail in the background."
            )
        }
        let (context, outgoing) = try await outgoing(request, prepare)
        // The system has no certificate of the conversation's to show.
        guard outgoing.options.clientIdentity?.answeredIdentity == nil else {
            throw ConversationError(
                .invalidConfiguration,
                "\(asked.target.origin) asks for a client certificate, which a background session cannot show. Nothing was transferred: transfer in the foreground."
            )
        }
        var fields = outgoing.headerFields
        let cookies = configuration.handlesCookies ? configuration.session.cookies.cookies(for: asked.target) : []
        if !request.headerFields.contains(.cookie) { fields[.cookie] = nil }
        try policy.check(fields, for: asked.target)
        return BackgroundTransferPlan(
            context: context, method: outgoing.method, target: asked.target,
            headerFields: fields, cookies: cookies, handlesCookies: configuration.handlesCookies)
    }

    /// The fields of a request that the login ahead of it sends, too: those about the body and conditions are left out.
    private static func fieldsOfLogin(_ fields: HTTPFields) -> HTTPFields {
        let left: Set = ["expect", "range", "trailer", "transfer-encoding"]
        return HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                return !left.contains(name) && !name.hasPrefix("content-") && !name.hasPrefix("if-")
            })
    }

    /// The system makes a background session's connections and follows its redirects, so no filter judges its servers
    /// (security rule S28).
    private func requireNoSettings(for target: TargetURL) throws(ConversationError) {
        let policy = detachedContext(for: target).connectionPolicy
        let lost = policy.everywhere.union(policy.settings(for: target.origin))
        guard lost.isEmpty else {
            throw ConversationError(
                .invalidConfiguration,
                "A background session cannot apply the connection settings for \(target.origin) (\(lost.words)). Nothing was sent: transfer in the foreground, or leave the setting out."
            )
        }
    }

    /// The request as it would be sent, without sending it.
    private func outgoing(
        _ request: HTTPRequest, _ prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> (ConversationContext, TransportRequest) {
        let interceptor = InterceptingTransport(transport)
        var configuration = configuration
        // This conversation ends before it sends anything, and is not the caller's.
        configuration.delegate = nil
        configuration.add(interceptor.filter, id: "BackgroundTransferPlan")
        let manager = HttpConversationManager(transport: interceptor, configuration: configuration)
        let context = Mutex<ConversationContext?>(nil)
        do throws(ConversationError) {
            _ = try await manager.bytes(for: request) { used in
                prepare(used)
                context.withLock { $0 = used }
            }
        } catch {
            guard interceptor.request != nil else { throw error }
        }
        guard let outgoing = interceptor.request, let context = context.withLock({ $0 }) else {
            throw ConversationError(
                .internalInconsistency, "A request was answered before it was sent. Please report this.")
        }
        return (context, outgoing)
    }
}
