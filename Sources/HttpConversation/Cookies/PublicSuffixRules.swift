import HttpConvFormats
import Synchronization

/// The rules of a public suffix list, indexed on first use: most runs of a command never need them.
final class PublicSuffixRules: Sendable {
    private struct State {
        var ascii: SuffixIndex?
        var international: SuffixIndex?
    }

    private let text: @Sendable () -> String
    private let state = Mutex(State())

    init(_ text: @escaping @Sendable () -> String) { self.text = text }

    func isPublicSuffix(_ domain: String) -> Bool {
        guard let parent = domain.cut(atASCII: ".")?.after else { return true }
        let isInternational = domain.split(ascii: ".").contains { $0.starts(withBytesOf: "xn--") }
        return state.withLock { state in
            let rules = rules(isInternational, &state)
            if rules.contains(where: { $0.contains("!" + domain) }) { return false }
            return rules.contains { $0.contains(domain) || $0.contains("*." + parent) }
        }
    }

    /// International rules are encoded separately: encoding is most of the work, and few domains need it.
    private func rules(_ isInternational: Bool, _ state: inout State) -> [SuffixIndex] {
        let ascii = state.ascii ?? SuffixIndex(text())
        state.ascii = ascii
        guard isInternational else { return [ascii] }
        let international = state.international ?? SuffixIndex(ascii.others.map(Self.encoded).joined(separator: "\n"))
        state.international = international
        return [ascii, international]
    }

    /// A rule with its name encoded as in cookies.
    private static func encoded(_ rule: String) -> String {
        let mark = rule.starts(withBytesOf: "!") ? "!" : rule.starts(withBytesOf: "*.") ? "*." : ""
        let name = String(rule.utf8.dropFirst(mark.utf8.count)) ?? rule
        return mark + ((try? HostName.normalise(name)) ?? name)
    }
}
