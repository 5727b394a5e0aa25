import Foundation
import HttpC

extension PublicSuffixList {
    /// The system's list, else the command's own, in `../share/httpc` relative to its directory.
    static let installed = PublicSuffixList.system(else: [file(of: Bundle.main.executableURL)].compactMap { $0 })

    /// - Parameter executable: the command's file, or a link to it
    static func file(of executable: URL?) -> URL? {
        executable?.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "share/httpc/public_suffix_list.dat")
    }
}
