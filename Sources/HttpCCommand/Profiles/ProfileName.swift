import HttpC

/// What a profile may be called: its name is also a directory's.
enum ProfileName {
    static let isImpossible = "There can be no profile of that name."

    static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
    }
}
