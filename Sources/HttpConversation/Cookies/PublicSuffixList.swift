/// The domains under which anybody can register a name, and for which no cookie may be set (security rule S15).
///
/// Its text is read when a cookie first needs it. `PublicSuffixList.system` of `HttpConvFiles` is the platform's.
public struct PublicSuffixList: Sendable {
    /// The rules of each list, shared by the copies.
    private let rules: [PublicSuffixRules]

    /// Reads the format of publicsuffix.org: one rule per line, `*.` and `!` forms, `//` comments.
    public init(parsing text: String) { self.init(loading: { text }) }

    /// Creates a list whose text is loaded on demand.
    ///
    /// - Parameter text: called once, when a cookie first needs the list
    public init(loading text: @escaping @Sendable () -> String) { rules = [PublicSuffixRules(text)] }

    /// Joins lists: a suffix of one of them is a suffix, and an exception is one from its own list alone. A list is read
    /// when none before it has the domain.
    package init(joining lists: [PublicSuffixList]) { rules = lists.flatMap(\.rules) }

    /// Whether a domain (lower case, IDNA) is a public suffix. A single label always is.
    public func isPublicSuffix(_ domain: String) -> Bool { rules.contains { $0.isPublicSuffix(domain) } }
}
