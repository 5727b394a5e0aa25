import HttpConversation
import Synchronization
import UserInteractionMultiplexing

/// The tokens of one session by service root; one fetch for each root at a time.
///
/// A service that had no token to give is not asked again by those whose requests were on the wire then.
final class CSRFTokenBook: Sendable {
    private enum Entry {
        case token(CSRFToken)
        case nothing(epoch: UInt64)
    }

    private let entries = Mutex<[Origin: [TargetURL: Entry]]>([:])
    private let flights = SingleFlight<TargetURL, CSRFToken?>()
    private let epoch = Atomic<UInt64>(0)
    private let running = Atomic<Int>(0)
    private static let maximumRoots = 256

    /// The stamp for an exchange that is sent now; 0 as long as no service ever demanded a token.
    var stamp: UInt64 { epoch.load(ordering: .acquiring) }

    /// The token of the nearest service that a URL belongs to.
    ///
    /// - Parameter roots: the services to look at; all where left out
    func token(
        for target: TargetURL, among roots: Set<TargetURL>? = nil
    ) -> (root: TargetURL, token: CSRFToken)? {
        guard stamp > 0 else { return nil }
        return entries.withLock { entries in
            let known = (entries[target.origin] ?? [:]).compactMap { root, entry -> (TargetURL, CSRFToken)? in
                guard case .token(let token) = entry, root.isServiceRoot(of: target) else { return nil }
                return roots?.contains(root) == false ? nil : (root, token)
            }
            return known.max { $0.0.path.utf8.count < $1.0.path.utf8.count }
        }
    }

    /// Whether a service said before that it has no token.
    func hasNothing(_ root: TargetURL) -> Bool {
        entries.withLock { if case .nothing = $0[root.origin]?[root] { true } else { false } }
    }

    /// Whether a token for the service is being fetched right now. Costs one load where nothing is.
    func isFetching(_ root: TargetURL) -> Bool {
        isFetchingAnything && flights.waiterCount(root) > 0
    }

    /// Whether any token is being fetched right now.
    var isFetchingAnything: Bool { running.load(ordering: .acquiring) > 0 }

    /// A token other than the refused one: somebody else's, or a new one.
    ///
    /// - Parameter stamp: of the exchange that was refused
    func obtain(
        _ root: TargetURL, refused: CSRFToken?, sentUnder stamp: UInt64, in context: ConversationContext
    ) async throws -> CSRFToken? {
        if let known = known(root, refused, stamp) { return known.token }
        running.add(1, ordering: .acquiringAndReleasing)
        defer { running.subtract(1, ordering: .acquiringAndReleasing) }
        return try await flights.join(root) { [self] result in
            if case .success(let token) = result { keep(token, root) }
        } operation: { [self] in
            // It may have landed between the look above and boarding.
            if let known = known(root, refused, stamp) { return known.token }
            guard let found = try await CSRFTokenFetch(root: root, context: context).run() else { return nil }
            return CSRFToken(value: Redacted(found.value), cookies: found.cookies, fetch: advance())
        }
    }

    /// Returns once `count` wait for the service's token; for tests.
    func waitForWaiters(_ count: Int, of root: TargetURL) async { await flights.waitForWaiters(count, of: root) }

    private struct Known {
        let token: CSRFToken?
    }

    private func known(_ root: TargetURL, _ refused: CSRFToken?, _ stamp: UInt64) -> Known? {
        entries.withLock { entries in
            switch entries[root.origin]?[root] {
            case .token(let token) where token.fetch != refused?.fetch: Known(token: token)
            case .nothing(let epoch) where epoch > stamp: Known(token: nil)
            default: nil
            }
        }
    }

    private func keep(_ token: CSRFToken?, _ root: TargetURL) {
        let epoch = token?.fetch ?? advance()
        entries.withLock { entries in
            if entries[root.origin]?.count ?? 0 >= Self.maximumRoots { entries[root.origin] = nil }
            entries[root.origin, default: [:]][root] = token.map { .token($0) } ?? .nothing(epoch: epoch)
        }
    }

    private func advance() -> UInt64 { epoch.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
