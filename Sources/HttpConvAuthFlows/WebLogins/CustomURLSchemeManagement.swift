public import HttpConvPlatform
import Synchronization

/// Delivers URLs that the operating system opened the application with to their waiters and handlers.
///
/// Call ``handleOpenURL(_:)`` wherever the platform reports an opened URL.
public final class CustomURLSchemeManagement: Sendable {
    /// The default instance.
    public static let shared = CustomURLSchemeManagement()

    /// The result of delivering a URL.
    public enum Disposition: Hashable, Sendable {
        /// A waiter or handler took it.
        case delivered
        /// There is no waiter or handler for it.
        case nobodyWaiting
        /// Not a custom scheme, or not one of this application.
        case rejected
    }

    private struct State {
        var schemes: Set<String>?
        var handlers: [(number: Int, handler: any CustomURLSchemeHandler)] = []
        var waiting: [Int: (matches: @Sendable (URL) -> Bool, continuation: CheckedContinuation<URL, any Error>)] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    /// - Parameter schemes: the schemes that this application has registered with the system; nil means unknown: every
    ///   scheme is accepted
    public init(schemes: Set<String>? = nil) {
        state = Mutex(State(schemes: schemes.map { Set($0.map { $0.lowercased() }) }))
    }

    /// The schemes that this application has registered with the system; nil means unknown.
    public var schemes: Set<String>? {
        get { state.withLock { $0.schemes } }
        set { state.withLock { $0.schemes = newValue.map { Set($0.map { $0.lowercased() }) } } }
    }

    /// Whether URLs of a scheme can reach this application.
    public func accepts(scheme: String) -> Bool {
        let scheme = scheme.lowercased()
        guard !["http", "https", "file"].contains(scheme), !scheme.isEmpty else { return false }
        return state.withLock { $0.schemes?.contains(scheme) ?? true }
    }

    /// Delivers a URL to the first waiter that matches, else to the first handler that takes it.
    @discardableResult
    public func handleOpenURL(_ url: URL) -> Disposition {
        guard accepts(scheme: url.scheme ?? "") else { return .rejected }
        let (waiting, handlers) = state.withLock { state in
            (state.waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.matches) }, state.handlers)
        }
        for (ticket, matches) in waiting where matches(url) {
            guard let waiter = state.withLock({ $0.waiting.removeValue(forKey: ticket) }) else { continue }
            waiter.continuation.resume(returning: url)
            return .delivered
        }
        return handlers.contains { $0.handler.handle(url) } ? .delivered : .nobodyWaiting
    }

    /// Adds a handler for URLs without a waiter; handlers are asked in order of addition.
    ///
    /// - Returns: a number for ``removeHandler(_:)``
    @discardableResult
    public func addHandler(_ handler: some CustomURLSchemeHandler) -> Int {
        state.withLock { state in
            state.next += 1
            state.handlers.append((state.next, handler))
            return state.next
        }
    }

    /// Removes a handler.
    public func removeHandler(_ number: Int) { state.withLock { $0.handlers.removeAll { $0.number == number } } }

    /// Waits for the next opened URL that matches.
    ///
    /// - Parameters:
    ///   - matches: whether a URL is the expected one
    ///   - ready: called once waiting has begun; URLs opened later are not missed
    /// - Throws: `CancellationError` if the task is cancelled
    public func waitForURL(
        matching matches: @escaping @Sendable (URL) -> Bool, ready: @escaping @Sendable () -> Void = {}
    ) async throws -> URL {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                state.withLock { $0.waiting[ticket] = (matches, continuation) }
                // The cancellation handler may have run before the entry existed.
                if Task.isCancelled { abandon(ticket) }
                ready()
            }
        } onCancel: {
            abandon(ticket)
        }
    }

    private func abandon(_ ticket: Int) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.continuation.resume(throwing: CancellationError())
    }
}
