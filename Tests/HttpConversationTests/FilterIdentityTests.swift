import HttpConversation
import Testing

@Suite struct FilterIdentityTests {
    private struct First: ConversationObserver { func observe(_ event: ConversationEvent) {} }
    private struct Second: ConversationObserver { func observe(_ event: ConversationEvent) {} }

    @Test("Elements without an id all stay, even of one type, each under an id of its own")
    func defaultIDs() {
        var list = FilterList<any ConversationObserver>()
        list.add(First())
        list.add(Second())
        list.add(First())
        #expect(list.elements.count == 3)
        #expect(Set(list.ids).count == 3)
        #expect(list.all(of: First.self).count == 2)
        #expect(list.all(of: Second.self).count == 1)
        #expect(list.ids.allSatisfy { !$0.contains("ConversationObserver") })
    }
}
