import HttpC
import HttpConvFormats

/// The local name of a file whose name comes from a server or a URL: a plain file name, and never a path.
enum RemoteName {
    /// The maximum length in bytes, which leaves room for the endings of files beside it.
    private static let limit = 200

    /// The last segment of a URL's path (-O), unchanged unless it would be taken for a file beside a download.
    static func of(_ url: TargetURL) -> String? {
        let end = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        return plain(String(decoding: end, as: UTF8.self))
    }

    /// The server's name (RFC 6266), without characters that act on a terminal, a shell or a listing of a directory
    /// (-J).
    static func of(_ head: HTTPResponse) -> String? {
        let parameters = head.headerFields[values: .contentDisposition].first.map(DispositionParameters.parse) ?? [:]
        let extended = parameters["filename*"].flatMap(DispositionParameters.decoded)
        return (extended ?? parameters["filename"]).flatMap(safe)
    }

    /// - Returns: nil if nothing is left
    static func safe(_ name: String) -> String? {
        // Compares scalars: a combining mark may hide a separator from comparisons of characters.
        let end = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
        var scalars = end.map { TerminalText.isControl($0) ? "_" : $0 }
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        guard let first = scalars.first(where: { $0 != " " }) else { return nil }
        scalars = Array(scalars.drop { $0 == " " })
        // A dot would hide the file, a minus would make it look like an option, and a tilde like a home directory.
        if [".", "-", "~"].contains(first) { scalars[0] = "_" }
        return plain(text(scalars))
    }

    private static func plain(_ name: String) -> String? {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0) else { return nil }
        guard name.utf8.count > limit else { return besideNoDownload(name) }
        let (base, ending) = ending(of: name)
        var kept = String.UnicodeScalarView()
        for scalar in base.unicodeScalars {
            guard kept.reduce(0, { $0 + UTF8.width($1) }) + UTF8.width(scalar) + ending.utf8.count <= limit else {
                break
            }
            kept.append(scalar)
        }
        return besideNoDownload(String(kept) + ending)
    }

    /// A name without the endings of a record and of a partial file: -C - would continue another file with these bytes.
    /// Some file systems ignore the case.
    private static func besideNoDownload(_ name: String) -> String {
        let (base, ending) = ending(of: name)
        return [".RESUME", ".PART"].contains(ending.uppercased()) ? "\(base)_\(ending.dropFirst())" : name
    }

    private static func ending(of name: String) -> (base: String, ending: String) {
        guard let dot = name.unicodeScalars.lastIndex(of: ".") else { return (name, "") }
        let ending = String(name.unicodeScalars[dot...])
        return ending.utf8.count > 20 ? (name, "") : (String(name.unicodeScalars[..<dot]), ending)
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
