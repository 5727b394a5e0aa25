import HttpC
import HttpConvFormats

/// The valid names of profiles, which are also names of directories.
package enum ProfileName {
    package static let isImpossible = "There can be no profile of that name."

    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
    }
}
