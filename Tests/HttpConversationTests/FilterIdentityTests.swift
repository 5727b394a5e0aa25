import HttpConversation
import Testing

@Suite struct FilterIdentityTests {
    private struct First: ConversationObserver { func observe(_ event: ConversationEvent) {} }
    private struct Second: ConversationObserver { func observe(_ event: ConversationEvent) {} }

    @Test("Without an id, elements of different types stand side by side, and of one type replace each other")
    func defaultIDs() {
        var list = FilterList<any ConversationObserver>()
        list.add(First())
        list.add(Second())
        list.add(First())
        #expect(list.elements.count == 2)
        #expect(list.all(of: First.self).count == 1)
        #expect(list.all(of: Second.self).count == 1)
        #expect(list.ids.allSatisfy { !$0.contains("ConversationObserver") })
    }
}
