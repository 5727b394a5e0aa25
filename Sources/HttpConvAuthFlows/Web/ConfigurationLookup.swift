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

    /// The configuration for a URL; if no provider has one, the configuration for the other URL.
    nonisolated(nonsending) func configuration(
        for target: TargetURL, else other: TargetURL, in context: ConversationContext
    ) async throws -> Configuration? {
        if let configuration = try await configuration(for: target, in: context) { return configuration }
        return target == other ? nil : try await configuration(for: other, in: context)
    }

    private nonisolated(nonsending) func configuration(
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
