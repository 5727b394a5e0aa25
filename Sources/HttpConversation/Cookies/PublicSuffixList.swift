public import Foundation

/// The domains under which anybody can register a name: no cookie may be set for one of them (security rule S15).
public struct PublicSuffixList: Sendable {
    private var rules: Set<String> = []
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []

    /// Reads the format of publicsuffix.org: one rule a line, `*.` and `!` forms, `//` comments.
    public init(parsing text: String) {
        // Bytes rather than characters: a system's list has ten thousand lines, and a command line reads it at each start.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let bytes = line.drop(while: Self.isSpace).prefix { !Self.isSpace($0) }
            let rule = Substring(bytes)
            guard !rule.isEmpty, !rule.utf8.starts(with: "//".utf8) else { continue }
            if rule.utf8.starts(with: "!".utf8) {
                exceptions.insert(Self.ascii(rule.dropFirst()))
            } else if rule.utf8.starts(with: "*.".utf8) {
                wildcards.insert(Self.ascii(rule.dropFirst(2)))
            } else {
                rules.insert(Self.ascii(rule))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Reads a file in that format.
    public init(contentsOf url: URL) throws {
        self.init(parsing: try String(contentsOf: url, encoding: .utf8))
    }

    /// The list that the system keeps up to date (Debian's package `publicsuffix`), where it is installed.
    public static let system: PublicSuffixList? = [
        "/usr/share/publicsuffix/public_suffix_list.dat", "/usr/share/publicsuffix/effective_tld_names.dat",
    ].lazy.compactMap { try? PublicSuffixList(contentsOf: URL(filePath: $0)) }.first

    /// Whether a domain (lower case, IDNA) is a public suffix. A single label always is.
    public func isPublicSuffix(_ domain: String) -> Bool {
        if exceptions.contains(domain) { return false }
        if rules.contains(domain) { return true }
        guard let parent = domain.cut(atASCII: ".")?.after else { return true }
        return wildcards.contains(String(parent))
    }

    private static func ascii(_ rule: Substring) -> String {
        rule.utf8.allSatisfy { $0 < 0x80 } ? rule.lowercased() : (try? HostName.normalise(String(rule))) ?? String(rule)
    }
}
