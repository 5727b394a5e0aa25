import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

extension HttpConversationManager {
    /// A manager with password providers, over a transport.
    static func with(
        _ transport: any HTTPTransport, session: HttpSession = HttpSession(),
        _ providers: any UsernamePasswordProvider...
    ) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator(session: session)
        // Tests must not wait for each other's screens.
        configurator.multiplexer = UserInteractionMultiplexer()
        for provider in providers { configurator.add(provider) }
        var configuration = Configuration()
        configuration.apply(configurator)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// The response to a GET.
    func get(_ url: String) async throws -> ConversationResponse {
        try await data(for: try HTTPRequest(.get, url))
    }

    /// The filter that the configurator added.
    var passwordFilter: UsernamePasswordFilter? {
        configuration.challengeFilters.all(of: UsernamePasswordFilter.self).first
    }

    /// The responses to one GET of each URL, all in parallel, in order.
    func getAll(_ urls: [String]) async -> [Result<ConversationResponse, any Error>] {
        await withTaskGroup(of: (Int, Result<ConversationResponse, any Error>).self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask {
                    do { return (index, .success(try await self.get(url))) } catch { return (index, .failure(error)) }
                }
            }
            var results: [Int: Result<ConversationResponse, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            return urls.indices.compactMap { results[$0] }
        }
    }
}
