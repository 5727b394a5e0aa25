import HttpConversation
import Synchronization

/// The tokens of one session by service root, and the services that had none to give.
final class CSRFTokenCache: Sendable {
    private enum Entry {
        case token(CSRFToken)
        case nothing
    }

    private let entries = Mutex<[Origin: [TargetURL: Entry]]>([:])
    /// So that a request to servers without tokens costs one load.
    private let count = Atomic<Int>(0)
    private static let maximumRoots = 256

    /// Whether no service was ever asked.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// The token of the nearest service that a URL belongs to.
    ///
    /// - Parameter roots: the services to look at; all where left out
    func token(
        for target: TargetURL, among roots: Set<TargetURL>? = nil
    ) -> (root: TargetURL, token: CSRFToken)? {
        guard !isEmpty else { return nil }
        return entries.withLock { entries in
            let known = (entries[target.origin] ?? [:]).compactMap { root, entry -> (TargetURL, CSRFToken)? in
                guard case .token(let token) = entry, root.isServiceRoot(of: target) else { return nil }
                return roots?.contains(root) == false ? nil : (root, token)
            }
            return known.max { $0.0.path.utf8.count < $1.0.path.utf8.count }
        }
    }

    /// The token of a service.
    func token(of root: TargetURL) -> CSRFToken? {
        entries.withLock { if case .token(let token) = $0[root.origin]?[root] { token } else { nil } }
    }

    /// Whether a service said before that it has no token.
    func hasNothing(_ root: TargetURL) -> Bool {
        entries.withLock { if case .nothing = $0[root.origin]?[root] { true } else { false } }
    }

    /// Keeps what a fetch brought.
    ///
    /// - Returns: the token, numbered
    func keep(_ found: (value: String, cookies: CSRFCookies)?, of root: TargetURL) -> CSRFToken? {
        let number = count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        let token = found.map { CSRFToken(value: Redacted($0.value), cookies: $0.cookies, fetch: UInt64(number)) }
        entries.withLock { entries in
            if entries[root.origin]?.count ?? 0 >= Self.maximumRoots { entries[root.origin] = nil }
            entries[root.origin, default: [:]][root] = token.map { .token($0) } ?? .nothing
        }
        return token
    }
}
