package import HttpC

extension TargetURL {
    /// The origin for messages. A redirect may have put a secret into the name of a server: then the URL is shown without
    /// it, and so is the origin.
    package var originInMessages: String {
        let (own, shown) = ("\(origin)", "\(self)")
        if shown.hasPrefix(own) { return own }
        let parts = shown.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return "\(origin.scheme.rawValue)://\(parts.last.map { $0.prefix { $0 != "/" } } ?? "…")"
    }
}
