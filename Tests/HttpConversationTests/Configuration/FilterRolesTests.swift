import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Filters are added for all protocols that they conform to.
@Suite struct FilterRolesTests {
    private struct Key: RequestFilter, ResponseFilter {
        let number: Int
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) -> ResponseVerdict { .proceed }
    }
    private struct Turn: RedirectFilter {
        let number: Int
        func inspect(_ redirect: Redirect, in context: ConversationContext) -> RedirectVerdict { .follow }
    }
    private struct Watcher: ResponseFilter, ConversationObserver {
        let number: Int
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) -> ResponseVerdict { .proceed }
        func observe(_ event: ConversationEvent) {}
    }
    private struct Idle: ConversationFilter {}

    /// The numbers of the keys in both lists, which go together.
    private func keys(_ configuration: HttpConversationManager.Configuration) -> [Int] {
        let asked = configuration.requestFilters.all(of: Key.self).map(\.number)
        #expect(asked == configuration.responseFilters.all(of: Key.self).map(\.number))
        #expect(asked == configuration.filters(of: Key.self).map(\.number))
        return asked
    }

    @Test func twoFiltersOfOneTypeCoexist() {
        var configuration = HttpConversationManager.Configuration()
        configuration.add(Key(number: 1))
        configuration.add(Key(number: 2))
        #expect(keys(configuration) == [1, 2])
        #expect(configuration.ids.count == 2)
        #expect(configuration.requestFilters.ids == configuration.responseFilters.ids)
    }

    @Test func anEqualIdReplacesInPlace() {
        var configuration = HttpConversationManager.Configuration()
        configuration.add(Key(number: 1), id: "a")
        configuration.add(Key(number: 2))
        configuration.add(Key(number: 3), id: "a")
        #expect(keys(configuration) == [3, 2])
        // A filter with the same id and other roles replaces all roles of the earlier one.
        configuration.add(Turn(number: 4), id: "a")
        #expect(keys(configuration) == [2])
        #expect(configuration.filters(of: Turn.self).map(\.number) == [4])
    }

    @Test func generatedIdsAreUnique() {
        var configuration = HttpConversationManager.Configuration()
        // Number 0 is in one list alone: a generated id has to be free in both.
        configuration.responseFilters.add(Key(number: 0))
        configuration.add(Key(number: 1))
        #expect(configuration.ids.count == 2)
        configuration.remove(id: configuration.requestFilters.ids[0])
        #expect(configuration.responseFilters.all(of: Key.self).map(\.number) == [0])
    }

    @Test func removingCoversAllRolesAndConfigurators() {
        var configuration = HttpConversationManager.Configuration()
        configuration.add(Key(number: 1), id: "a", of: ConfiguratorID())
        configuration.add(Key(number: 2), id: "a", of: ConfiguratorID())
        configuration.add(Watcher(number: 3), id: "a")
        configuration.add(Key(number: 4), id: "b")
        #expect(keys(configuration) == [1, 2, 4])
        #expect(configuration.observers.all(of: Watcher.self).count == 1)
        let removed = [configuration.remove(id: "a"), configuration.remove(id: "a")]
        #expect(removed == [true, false])
        #expect(configuration.ids == ["b"])
        #expect(configuration.observers.isEmpty)
    }

    @Test func aConfiguratorReplacesOnlyItsOwnFilters() {
        var configuration = HttpConversationManager.Configuration()
        let one = ConfiguratorID()
        configuration.add(Key(number: 1), id: "a", of: one)
        configuration.add(Key(number: 2), id: "a", of: ConfiguratorID())
        configuration.add(Key(number: 3), id: "a", of: one)
        #expect(keys(configuration) == [3, 2])
    }

    @Test func aFilterWithoutARoleIsAProblem() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(Idle()) }
        let error = #expect(throws: ConversationError.self) { try manager.validate() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("Idle") == true)
        await #expect(throws: ConversationError.self) { try await manager.get("http://h/") }
        #expect(transport.requests.isEmpty)
    }
}
