public import HttpConversation

/// Shows logins by another strategy, with the sessions at identity providers that earlier logins left, and keeps the
/// sessions of this one (security rule S33).
///
/// ```swift
/// let identityProviders = try SingleSignOnPolicy(origins: ["https://idp.example.com"])
/// login.webStrategies = WebStrategies(default: SingleSignOnStrategy(ChromiumStrategy(), at: identityProviders))
/// ```
/// Then neither a second service provider at the same identity provider, nor a session that ended at the first one,
/// causes another question. The sessions are in the store of the conversation's session (`HttpSession.singleSignOn`),
/// which sessions of the same person may share. They are kept at the end of a successful login only. A login whose pages
/// do not accept them removes them, so that the next one starts afresh; an outage does not.
public struct SingleSignOnStrategy: WebLoginStrategy {
    private let base: any WebLoginStrategy
    private let policy: SingleSignOnPolicy
    private let store: SingleSignOnStore?

    /// Creates a strategy.
    ///
    /// - Parameters:
    ///   - base: shows the pages
    ///   - policy: the identity providers
    ///   - store: the sessions; nil: those of the conversation's session
    public init(_ base: some WebLoginStrategy, at policy: SingleSignOnPolicy, in store: SingleSignOnStore? = nil) {
        self.base = base
        self.policy = policy
        self.store = store
    }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        let store = store ?? context.session.singleSignOn
        // The lease first: another process may be getting the session that this one needs.
        return try await store.storage.withLogin {
            let login = login.with(try await store.usableSessions(for: policy))
            let outcome: WebLoginOutcome
            do { outcome = try await base.perform(login, in: context) } catch {
                let used = login.originsWithSession
                if !used.isEmpty, Self.blamesPages(error) { try? await store.remove(used) }
                throw error
            }
            if login.isDone(outcome) {
                // The login is worth more than the session that it leaves.
                do { try await store.keep(outcome, of: login) } catch {
                    context.notify("singleSignOnNotKept", ["login": "\(login)"])
                }
            }
            return outcome.without { login.isOfSingleSignOn($0, in: outcome) }
        }
    }

    /// Whether an error may come from a session that the identity provider does not accept.
    private static func blamesPages(_ error: any Error) -> Bool {
        guard let error = error as? WebLoginError, !error.isOutage else { return false }
        if let cause = error.underlyingError as? ConversationError, cause.code != .tooLarge { return false }
        return [.pageFailed, .unsupportedPage, .missingAnswer, .answersRefused].contains(error.code)
    }
}
