import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Taking a configurator never swaps a session silently (security rule S2).
@Suite struct ConfiguratorSessionTests {
    private struct Person: ManagerConfigurator {
        let session: ConfiguratorSession
        init(_ session: HttpSession? = nil) { self.session = ConfiguratorSession(session) }
        func configure(_ configuration: inout HttpConversationManager.Configuration) { configuration.join(session) }
    }

    private let transport = ScriptedTransport { _, _ in .init(.ok) }

    private func manager(_ configurators: any ManagerConfigurator...) -> HttpConversationManager {
        HttpConversationManager(transport: transport, configuration: .init(applying: configurators))
    }

    private func session(_ manager: HttpConversationManager) throws -> HttpSession {
        try manager.validate()
        return manager.configuration.session
    }

    @Test func allManagersOfOneConfiguratorShareItsSession() throws {
        let person = Person()
        let first = try session(manager(person))
        #expect(try session(manager(person)) === first)
        #expect(person.session.session === first)
        let other = HttpConversationManager(transport: transport)
        other.update { $0.apply(person) }
        #expect(try session(other) === first)
    }

    @Test func configuratorsWithoutSessionsShareOne() throws {
        let (one, two) = (Person(), Person())
        let both = try session(manager(one, two))
        #expect(one.session.session === both)
        #expect(two.session.session === both)
        #expect(try session(manager(two)) === both)
    }

    @Test func theGivenSessionWinsInAnyOrder() throws {
        let given = HttpSession()
        let (one, two) = (Person(), Person())
        #expect(try session(manager(one, Person(given))) === given)
        #expect(try session(manager(Person(given), two)) === given)
        // Configurators without a session join this one.
        #expect(one.session.session === given)
        #expect(two.session.session === given)
    }

    @Test func aConfigurationKeepsItsOwnSession() throws {
        let given = HttpSession()
        let person = Person()
        var configuration = HttpConversationManager.Configuration(session: given)
        configuration.apply(person)
        #expect(try session(HttpConversationManager(transport: transport, configuration: configuration)) === given)
        #expect(try session(manager(person)) === given)
        // A session that is set after the configurator holds for both.
        let late = Person()
        var other = HttpConversationManager.Configuration()
        other.apply(late)
        other.session = given
        #expect(late.session.session === given)
    }

    @Test func twoDifferentOnesAreAProblem() async throws {
        let first = HttpSession()
        for manager in [manager(Person(first), Person(HttpSession())), manager(used(), used())] {
            let error = #expect(throws: ConversationError.self) { try manager.validate() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("a manager has only one") == true)
            await #expect(throws: ConversationError.self) { try await manager.get("http://h/") }
        }
        var configuration = HttpConversationManager.Configuration(session: first)
        configuration.apply(Person(HttpSession()))
        #expect(configuration.session === first)
        #expect(throws: ConversationError.self) { try configuration.validate(for: transport) }
        #expect(transport.requests.isEmpty)
    }

    /// A configurator cannot replace the session of a running manager.
    @Test func aConfigurationKeepsASessionInUse() throws {
        let person = Person()
        let first = manager(person)
        let used = try session(first)
        first.update { $0.apply(Person(HttpSession())) }
        #expect(throws: ConversationError.self) { try first.validate() }
        #expect(first.configuration.session === used)
        #expect(person.session.session === used)
        var copy = manager(person).configuration
        copy.session = HttpSession()
        #expect(person.session.session === used)
    }

    /// A filter's own request has no session until it is given one.
    @Test func aChildUsesTheConfiguratorsSession() async throws {
        let person = used()
        let seen = Box<[Bool]>([])
        let manager = testManager(transport) {
            $0.add(
                TestFilter(onResponse: { _, context in
                    let child = try await context.start(HTTPRequest(.get, "http://h/child")) { $0.apply(person) }
                    seen.update { $0.append(child.context.session === person.session.session) }
                    return .proceed
                }))
        }
        _ = try await manager.get("http://h/")
        #expect(seen.value == [true])
    }

    /// A person that another manager already has.
    private func used() -> Person {
        let person = Person()
        _ = manager(person)
        return person
    }
}
