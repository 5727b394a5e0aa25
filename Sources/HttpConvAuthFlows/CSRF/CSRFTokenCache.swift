import HttpConversation
import Synchronization

/// The tokens of one session by service root, and the services without tokens.
final class CSRFTokenCache: Sendable {
    private enum Entry {
        case token(CSRFToken)
        case nothing
    }

    private let entries = Mutex<[Origin: [TargetURL: Entry]]>([:])
    /// The number of fetches; an empty cache costs one atomic load.
    private let count = Atomic<Int>(0)
    private static let maximumRoots = 256

    /// Whether no service was asked yet.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// The token of the nearest service that a URL belongs to.
    ///
    /// - Parameter roots: the services to consider; nil for all
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

    /// Whether a service has answered a fetch without a token.
    func hasNothing(_ root: TargetURL) -> Bool {
        entries.withLock { if case .nothing = $0[root.origin]?[root] { true } else { false } }
    }

    /// Stores the result of a fetch.
    ///
    /// - Returns: the token with its number
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
