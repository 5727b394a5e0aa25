import Synchronization

/// The rules of a public suffix list, made when they are first needed: most runs of a command never ask.
final class PublicSuffixRules: Sendable {
    /// Rules of one alphabet.
    private struct Rules {
        var suffixes: Set<String> = []
        var wildcards: Set<String> = []
        var exceptions: Set<String> = []

        /// - Parameter encode: makes a name of it that is compared with those of cookies
        mutating func insert(_ rule: Substring, _ encode: (Substring) -> String) {
            if rule.starts(withBytesOf: "!") {
                exceptions.insert(encode(Substring(rule.utf8.dropFirst())))
            } else if rule.starts(withBytesOf: "*.") {
                wildcards.insert(encode(Substring(rule.utf8.dropFirst(2))))
            } else {
                suffixes.insert(encode(rule))
            }
        }
    }

    private struct State {
        var ascii: Rules?
        /// Rules in other letters, as they are written.
        var unread: [Substring] = []
        var international: Rules?
    }

    private let text: @Sendable () -> String
    private let state = Mutex(State())

    init(_ text: @escaping @Sendable () -> String) { self.text = text }

    func isPublicSuffix(_ domain: String) -> Bool {
        guard let parent = domain.cut(atASCII: ".").map({ String($0.after) }) else { return true }
        let isInternational = domain.split(ascii: ".").contains { $0.starts(withBytesOf: "xn--") }
        return state.withLock { state in
            let rules = rules(isInternational, &state)
            if rules.contains(where: { $0.exceptions.contains(domain) }) { return false }
            return rules.contains { $0.suffixes.contains(domain) || $0.wildcards.contains(parent) }
        }
    }

    /// Encoding names is most of the work, and few domains need it.
    private func rules(_ isInternational: Bool, _ state: inout State) -> [Rules] {
        let ascii = state.ascii ?? Self.read(text(), &state.unread)
        state.ascii = ascii
        guard isInternational else { return [ascii] }
        let international = state.international ?? Self.encoded(state.unread)
        state.international = international
        return [ascii, international]
    }

    /// By bytes rather than characters: the list has ten thousand lines.
    private static func read(_ text: String, _ others: inout [Substring]) -> Rules {
        var rules = Rules()
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let rule = Substring(line.drop(while: isSpace).prefix { !isSpace($0) })
            guard !rule.isEmpty, !rule.starts(withBytesOf: "//") else { continue }
            guard rule.utf8.allSatisfy({ $0 < 0x80 }) else {
                others.append(rule)
                continue
            }
            rules.insert(rule) { $0.lowercased() }
        }
        return rules
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func encoded(_ unread: [Substring]) -> Rules {
        var rules = Rules()
        for rule in unread { rules.insert(rule) { (try? HostName.normalise(String($0))) ?? String($0) } }
        return rules
    }
}
