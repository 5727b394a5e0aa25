public import HttpConvPlatform
public import HttpConversation

extension PublicSuffixList {
    /// The system's list (Debian's package `publicsuffix`) and ``bundled``: a suffix of either is one, because the
    /// system's may be years old. Each is read when a cookie first needs it.
    public static let system = PublicSuffixList.system(else: [])

    /// The system's list, else the first readable one of some files, and ``bundled``: a suffix of either is one. For
    /// applications that are installed with their own list. Each is read when a cookie first needs it.
    ///
    /// - Parameter files: files in the format of publicsuffix.org
    public static func system(else files: @autoclosure @escaping @Sendable () -> [URL]) -> PublicSuffixList {
        withBundled(
            PublicSuffixList(loading: {
                let places = ["public_suffix_list.dat", "effective_tld_names.dat"].map { name in
                    URL(filePath: "/usr/share/publicsuffix/\(name)")
                }
                return (places + files()).lazy.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.first ?? ""
            }))
    }

    /// A list and ``bundled``, which is read only if the list does not have a domain.
    static func withBundled(_ list: PublicSuffixList) -> PublicSuffixList {
        PublicSuffixList(joining: [list, .bundled])
    }

    /// The list that comes with this module, as of the module's last update.
    public static let bundled = PublicSuffixList(loading: { BundledSuffixes.text.description })

    /// Reads a file in the format of publicsuffix.org at once.
    ///
    /// - Throws: Foundation's error if it cannot be read, or is not UTF-8
    public init(contentsOf url: URL) throws {
        self.init(parsing: try String(contentsOf: url, encoding: .utf8))
    }
}
