import HttpC
import HttpConvPlatform

extension PublicSuffixList {
    /// The system's list, else the command's own, in `../share/httpc` relative to its directory; and the bundled one.
    static let installed = PublicSuffixList.system(else: [file(of: program)].compactMap { $0 })

    private static var program: URL? {
        #if os(Linux)
        URL(filePath: "/proc/self/exe")
        #else
        Bundle.main.executableURL
        #endif
    }

    /// - Parameter executable: the command's file, or a link to it
    static func file(of executable: URL?) -> URL? {
        executable?.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "share/httpc/public_suffix_list.dat")
    }
}
