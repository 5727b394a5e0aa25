import HttpConversation

/// The providers of one kind of configuration; the first answer counts.
struct ConfigurationLookup<Configuration: Sendable>: Sendable {
    typealias Provider =
        nonisolated(nonsending) @Sendable (TargetURL, ConversationContext) async throws -> Configuration?

    /// The name of the configuration, for errors.
    let name: String
    private(set) var providers: [Provider] = []

    init(_ name: String) { self.name = name }

    mutating func add(_ provider: @escaping Provider) { providers.append(provider) }

    /// The configuration for the login that an exchange asks for (security rule S13).
    ///
    /// The caller's URL selects it first, but for its own server only: other servers in a redirect chain must not start
    /// its login. The URL of the exchange selects it for any server.
    nonisolated(nonsending) func configuration(
        forExchangeWith target: TargetURL, in context: ConversationContext
    ) async throws -> Configuration? {
        if target != context.target, target.origin == context.target.origin,
            let configuration = try await configuration(for: context.target, in: context)
        {
            return configuration
        }
        return try await configuration(for: target, in: context)
    }

    /// The configuration for exactly this URL.
    nonisolated(nonsending) func configuration(
        for target: TargetURL, in context: ConversationContext
    ) async throws -> Configuration? {
        do {
            for provider in providers {
                if let configuration = try await provider(target, context) { return configuration }
            }
            return nil
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "A provider of \(name) configurations failed for \(target.origin).")
        }
    }
}
