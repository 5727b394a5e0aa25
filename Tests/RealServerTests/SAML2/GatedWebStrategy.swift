import HttpC
import Synchronization

/// Another strategy that begins when the test says so, and counts how often.
final class GatedWebStrategy: WebLoginStrategy {
    private let base: any WebLoginStrategy
    private let count = Atomic<Int>(0)
    private let isReady: @Sendable () throws -> Bool

    /// - Parameter isReady: asked until it says yes
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
