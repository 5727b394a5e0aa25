/// Files with a packed format, such as `.gz`. Some servers call that format a content coding, although the person wants
/// the packed file. Compressing such a file again is useless.
package enum PackedFile {
    /// Whether a name or path is that of a packed file.
    package static func isNamed(_ name: some StringProtocol) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last else { return false }
        return endings.contains(String(decoding: ending, as: UTF8.self).lowercased())
    }

    private static let endings: Set = [
        "br", "bz2", "gz", "svgz", "tbz", "tbz2", "tgz", "txz", "tzst", "xz", "z", "zst",
    ]
}
