import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// The time that the servers of one login may take: for one page, and for all pages together.
///
/// A person may be asked while a page is loaded (401). That counts as one page's time at most.
final class LoginPageTime: Sendable {
    private let page: Duration
    private let left: Mutex<Duration>
    private let clock: any Clock<Duration> & Sendable

    init(page: Duration, all: Duration, clock: any Clock<Duration> & Sendable) {
        self.page = page
        self.clock = clock
        left = Mutex(all)
    }

    /// Runs work for a login, with the time that it may take.
    ///
    /// - Throws: ``WebLoginError/Code/pageFailed`` if no time is left
    func spend<Result: Sendable>(
        for login: WebLogin, _ work: (Duration) async throws -> Result
    ) async throws -> Result {
        let limit = min(page, left.withLock { $0 })
        guard limit > .zero else {
            throw WebLoginError(.pageFailed, "The servers of the \(login) took too long, all pages together.")
                .ofOutage()
        }
        let stopwatch = Stopwatch(any: clock)
        defer { left.withLock { $0 -= min(stopwatch.elapsed, limit) } }
        return try await work(limit)
    }
}
