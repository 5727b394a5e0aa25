public import Foundation
public import HttpConversation

extension PublicSuffixList {
    /// The list that the system keeps up to date (Debian's package `publicsuffix`), else ``bundled``. Read when a cookie
    /// first needs it.
    public static let system = PublicSuffixList(loading: {
        let places = ["public_suffix_list.dat", "effective_tld_names.dat"].map { "/usr/share/publicsuffix/\($0)" }
        let found = places.lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
        return found ?? BundledSuffixes.text.description
    })

    /// The list that comes with this module: that of the day when the module was last brought up to date.
    public static let bundled = PublicSuffixList(loading: { BundledSuffixes.text.description })

    /// Reads a file in the format of publicsuffix.org, at once.
    ///
    /// - Throws: Foundation's error where it cannot be read, or is not UTF-8
    public init(contentsOf url: URL) throws {
        self.init(parsing: try String(contentsOf: url, encoding: .utf8))
    }
}
