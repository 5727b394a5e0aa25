import HTTPTypes
import HttpConversation
import Synchronization

/// A service, and the caller's fields that a token of it depends on.
struct CSRFPlace: Hashable, Sendable {
    let root: TargetURL
    /// ``CSRFTokenFetch/fields(of:for:)``
    let fields: HTTPFields
}

/// The tokens of one session by service, and the services without tokens.
final class CSRFTokenCache: Sendable {
    private enum Entry {
        case token(CSRFToken)
        case nothing
    }

    private let entries = Mutex<[Origin: [CSRFPlace: Entry]]>([:])
    /// The number of fetches; an empty cache costs one atomic load.
    private let count = Atomic<Int>(0)
    private static let maximumPlaces = 256

    /// Whether no service was asked yet.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// The token of the nearest service that a URL belongs to.
    ///
    /// - Parameters:
    ///   - fields: the caller's fields that a token depends on
    ///   - roots: the services to consider; nil for all
    func token(
        for target: TargetURL, _ fields: HTTPFields, among roots: Set<TargetURL>? = nil
    ) -> (root: TargetURL, token: CSRFToken)? {
        guard !isEmpty else { return nil }
        return entries.withLock { entries in
            let known = (entries[target.origin] ?? [:]).compactMap { place, entry -> (TargetURL, CSRFToken)? in
                guard case .token(let token) = entry, place.fields == fields, place.root.isServiceRoot(of: target)
                else { return nil }
                return roots?.contains(place.root) == false ? nil : (place.root, token)
            }
            // If the roots of two clients have the same path, the root of the request's client is nearer.
            let rank = { (root: TargetURL) in (root.path.utf8.count, root.clientOption == target.clientOption ? 1 : 0) }
            return known.max { rank($0.0) < rank($1.0) }
        }
    }

    /// The token of a service.
    func token(of place: CSRFPlace) -> CSRFToken? {
        entries.withLock { if case .token(let token) = $0[place.root.origin]?[place] { token } else { nil } }
    }

    /// Whether a service has answered a fetch without a token.
    func hasNothing(_ place: CSRFPlace) -> Bool {
        entries.withLock { if case .nothing = $0[place.root.origin]?[place] { true } else { false } }
    }

    /// Stores the result of a fetch.
    ///
    /// - Returns: the token with its number
    func keep(_ found: (value: String, cookies: CSRFCookies)?, of place: CSRFPlace) -> CSRFToken? {
        let origin = place.root.origin
        let number = count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        let token = found.map { CSRFToken(value: Redacted($0.value), cookies: $0.cookies, fetch: UInt64(number)) }
        entries.withLock { entries in
            if entries[origin]?.count ?? 0 >= Self.maximumPlaces { entries[origin] = nil }
            entries[origin, default: [:]][place] = token.map { .token($0) } ?? .nothing
        }
        return token
    }
}
