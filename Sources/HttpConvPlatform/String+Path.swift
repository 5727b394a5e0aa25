extension String {
    /// The last name of a path; empty if there is none.
    package var lastPathName: String { String(withoutFinalSlashes.split(separator: "/").last ?? "") }

    /// The path of the directory that a path's last name is in: "/" for names below it, empty for a name alone.
    package var parentPath: String {
        let names = withoutFinalSlashes
        let parent = names[..<(names.lastIndex(of: "/") ?? names.startIndex)].withoutFinalSlashes
        return parent.isEmpty && hasPrefix("/") ? "/" : String(parent)
    }

    /// The part of a path's last name after its last dot; empty if there is no name before the dot.
    package var pathType: String {
        let name = lastPathName
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    /// A file's name without its type.
    package var withoutPathType: String {
        let type = pathType
        return type.isEmpty ? self : String(dropLast(type.count + 1))
    }
}

extension StringProtocol {
    fileprivate var withoutFinalSlashes: SubSequence {
        var text = self[...]
        while text.hasSuffix("/") { text = text.dropLast() }
        return text
    }
}
