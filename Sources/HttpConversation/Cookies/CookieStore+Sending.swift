import HTTPTypes
import HttpConvFormats
import Synchronization

/// The cookies that requests carry.
extension CookieStore {
    /// The cookies for `target`, in the order of RFC 6265 §5.4: longer paths first, then older ones.
    public func cookies(for target: TargetURL) -> [Cookie] {
        if isEmptyHint.load(ordering: .acquiring) { return [] }
        let origin = target.origin
        let candidates = state.withLock { state in
            let own = state.byDomain[origin.host] ?? []
            let hasOthers = state.byDomain.count > (own.isEmpty ? 0 : 1)
            if !hasOthers || origin.isIPLiteral { return own }
            return own + Self.parents(of: origin.host).flatMap { state.byDomain[$0] ?? [] }
        }
        guard !candidates.isEmpty else { return [] }
        let date = candidates.contains { $0.expires != nil } ? clock.date : nil
        let path = target.path
        let matching = candidates.filter { cookie in
            (!cookie.isHostOnly || cookie.domain == origin.host) && (!cookie.isSecure || origin.scheme == .https)
                && CookiePath.matches(path, cookie.path) && !(date.map { cookie.hasExpired(at: $0) } ?? false)
        }
        guard matching.count > 1 else { return matching }
        return matching.sorted { ($0.path.utf8.count, $1.created) > ($1.path.utf8.count, $0.created) }
    }

    /// The `Cookie` field for `target`; nil if there is nothing to send. Known at once for the URL of the last request,
    /// unless the store has changed or a cookie may have expired since.
    func field(for target: TargetURL) -> HTTPField? {
        if isEmptyHint.load(ordering: .acquiring) { return nil }
        let (known, version) = state.withLock { state in
            (state.last.flatMap { $0.target == target ? $0.field : nil }, state.version)
        }
        if let known { return known }
        let cookies = cookies(for: target)
        guard !cookies.isEmpty else { return nil }
        let field = HTTPField(name: .cookie, value: Self.header(cookies))
        if cookies.allSatisfy({ $0.expires == nil }) {
            state.withLock { state in
                if state.version == version { state.last = (target, field) }
            }
        }
        return field
    }

    private static func header(_ cookies: [Cookie]) -> String {
        var header = ""
        for (index, cookie) in cookies.enumerated() {
            if index > 0 { header += "; " }
            if !cookie.name.isEmpty {
                header += cookie.name
                header += "="
            }
            header += cookie.value
        }
        return header
    }

    /// The parent domains of a host.
    private static func parents(of host: String) -> [String] {
        var result: [String] = []
        var rest = Substring(host)
        while let parent = rest.cut(atASCII: ".")?.after {
            rest = parent
            result.append(String(rest))
        }
        return result
    }
}
