/// Tokens by their key. It keeps the result of the last search, because most requests need the same tokens.
package struct TokensByKey: Sendable {
    private var all: [OAuth2TokenKey: OAuth2Tokens] = [:]
    private var last: (key: OAuth2TokenKey, tokens: OAuth2Tokens)?

    package init() {}

    package var count: Int { all.count }

    /// The tokens under a key.
    package mutating func find(_ key: OAuth2TokenKey) -> OAuth2Tokens? {
        if let last, last.key == key { return last.tokens }
        guard let tokens = all[key] else { return nil }
        last = (key, tokens)
        return tokens
    }

    /// Replaces the tokens under a key.
    package mutating func put(_ tokens: OAuth2Tokens?, under key: OAuth2TokenKey) {
        all[key] = tokens
        last = nil
    }

    package mutating func removeAll() { self = TokensByKey() }
}
