/// The observers of a conversation, in order.
struct Observers: Sendable {
    private let all: [any ConversationObserver]
    /// Tells all of them an event. It is made once, because each use of an observer in an array copies it.
    let tell: @Sendable (ConversationEvent) -> Void

    init(_ all: [any ConversationObserver]) {
        self.all = all
        if let only = all.first, all.count == 1 {
            tell = { only.observe($0) }
        } else {
            tell = { event in for observer in all { observer.observe(event) } }
        }
    }

    var isEmpty: Bool { all.isEmpty }

    func followed(by others: [any ConversationObserver]) -> Observers {
        others.isEmpty ? self : Observers(all + others)
    }
}
