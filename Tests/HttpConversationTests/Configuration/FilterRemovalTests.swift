import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Filters are removed by the value that was added.
@Suite("Removing filters by value") struct FilterRemovalTests {
    private struct Key: RequestFilter, ResponseFilter, Equatable {
        let text: String
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) -> ResponseVerdict { .proceed }
    }

    private final class Object: RequestFilter, ConversationObserver {
        func observe(_ event: ConversationEvent) {}
    }

    private struct Opaque: RequestFilter {
        let work: @Sendable () -> Void
    }

    @Test("A value by ==, in all its roles")
    func value() {
        var configuration = HttpConversationManager.Configuration()
        configuration.add(Key(text: "1"))
        configuration.add(Key(text: "2"))
        configuration.add(Key(text: "1"), id: "another")
        let wasThere1 = configuration.remove(Key(text: "1"))
        #expect(wasThere1)
        #expect(configuration.filters(of: Key.self) == [Key(text: "2")])
        #expect(configuration.responseFilters.elements.count == 1)
        let wasThere2 = configuration.remove(Key(text: "1"))
        #expect(!wasThere2)
        #expect(configuration.problems.isEmpty)
    }

    @Test("An object by identity, as a filter and as an observer")
    func object() {
        let (one, two) = (Object(), Object())
        var configuration = HttpConversationManager.Configuration()
        configuration.add(one)
        configuration.add(two)
        let wasThere3 = configuration.remove(one)
        #expect(wasThere3)
        #expect(configuration.filters(of: Object.self).map(ObjectIdentifier.init) == [ObjectIdentifier(two)])
        #expect(configuration.observers.elements.count == 1)
        let wasThere4 = configuration.remove(Object())
        #expect(!wasThere4)
    }

    @Test("Removing a filter that cannot be compared is a problem, and not ignored")
    func opaque() {
        var configuration = HttpConversationManager.Configuration()
        let filter = Opaque {}
        configuration.add(filter)
        let wasThere5 = configuration.remove(filter)
        #expect(!wasThere5)
        #expect(configuration.requestFilters.elements.count == 1)
        #expect(configuration.problems.contains { $0.message.contains("removed by its value") })
    }
}
