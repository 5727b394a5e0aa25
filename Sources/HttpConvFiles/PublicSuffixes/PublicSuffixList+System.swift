public import HttpConvPlatform
public import HttpConversation

extension PublicSuffixList {
    /// The list that the system keeps up to date (Debian's package `publicsuffix`), else ``bundled``. Read when a
    /// cookie first needs it.
    public static let system = PublicSuffixList.system(else: [])

    /// The system's list, else the first readable one of some files, else ``bundled``. For applications that are
    /// installed with their own list. Read when a cookie first needs it.
    ///
    /// - Parameter files: files in the format of publicsuffix.org
    public static func system(else files: @autoclosure @escaping @Sendable () -> [URL]) -> PublicSuffixList {
        PublicSuffixList(loading: {
            let places = ["public_suffix_list.dat", "effective_tld_names.dat"].map { name in
                URL(filePath: "/usr/share/publicsuffix/\(name)")
            }
            let found = (places + files()).lazy.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.first
            return found ?? BundledSuffixes.text.description
        })
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
