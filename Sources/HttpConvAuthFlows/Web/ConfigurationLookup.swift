import HttpConversation

/// The providers of one kind of configuration; the first answer counts.
struct ConfigurationLookup<Configuration: Sendable>: Sendable {
    typealias Provider = @Sendable (TargetURL) async throws -> Configuration?

    /// What is configured, for errors.
    let name: String
    private(set) var providers: [Provider] = []

    init(_ name: String) { self.name = name }

    mutating func add(_ provider: @escaping Provider) { providers.append(provider) }

    /// The configuration for the first of the URLs that a provider knows.
    func configuration(for targets: TargetURL...) async throws -> Configuration? {
        for (index, target) in targets.enumerated() where index == 0 || targets[index - 1] != target {
            for provider in providers {
                do {
                    if let configuration = try await provider(target) { return configuration }
                } catch {
                    throw ConversationError.wrapping(
                        error, as: .authenticationFailed,
                        "A provider of \(name) configurations failed for \(target.origin).")
                }
            }
        }
        return nil
    }
}
