import HttpC
import Synchronization

/// A strategy that starts another one when the test allows it, and counts the starts.
final class GatedWebStrategy: WebLoginStrategy {
    private let base: any WebLoginStrategy
    private let count = Atomic<Int>(0)
    private let isReady: @Sendable () throws -> Bool

    /// - Parameter isReady: called until it returns true
    init(_ base: any WebLoginStrategy, when isReady: @escaping @Sendable () throws -> Bool) {
        self.base = base
        self.isReady = isReady
    }

    var timesOpened: Int { count.load(ordering: .relaxed) }

    func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        count.add(1, ordering: .relaxed)
        while try !isReady() { try await Task.sleep(for: .milliseconds(20)) }
        return try await base.perform(login, in: context)
    }
}
