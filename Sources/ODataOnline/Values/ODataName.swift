import HttpConversation

/// Checks names of the model before they become part of addresses and expressions (OData CSDL 4.01 §15.2 and §15.3).
enum ODataName {
    /// Checks a simple identifier: a letter or underscore, then also digits, at most 128 characters.
    static func check(_ name: String) throws(ODataError) {
        guard isIdentifier(name[...]) else { throw refused(name) }
    }

    /// Checks identifiers with dots between them.
    static func check(qualified name: String) throws(ODataError) {
        guard isQualified(name[...]) else { throw refused(name) }
    }

    /// Checks identifiers, also qualified ones, with slashes between them: a property of a property, a cast. The last
    /// may be `$count`, the first `$it`.
    static func check(path: String) throws(ODataError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.isEmpty, parts.count <= 32 else { throw refused(path) }
        for (index, part) in parts.enumerated() {
            let isSpecial = (index == 0 && part == "$it") || (index == parts.count - 1 && index > 0 && part == "$count")
            guard isSpecial || isQualified(part) else { throw refused(path) }
        }
    }

    static func isQualified(_ name: Substring) -> Bool {
        name.utf8.count <= 512 && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isIdentifier)
    }

    static func isIdentifier(_ name: Substring) -> Bool {
        guard let first = name.unicodeScalars.first, name.utf8.count <= 256 else { return false }
        guard first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    private static func refused(_ name: String) -> ODataError {
        ODataError(
            .invalidRequest, "\"\(TerminalText.sanitise(name, limit: 80))\" is not a name of a property, type or set.")
    }
}
