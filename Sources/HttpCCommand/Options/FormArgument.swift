import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// One -F argument in curl's notation: `name=text`, `name=@file` or `name=<file`, then `;type=…` and `;filename=…`. A
/// name or text that has separators is in double quotes.
///
/// Text that cannot be parsed is not repeated: it may be a secret.
struct FormArgument {
    private var rest: ArraySlice<UInt8>

    /// The parts of the argument: one, or several for `@file,file`.
    static func parts(_ text: String) throws(CommandFailure) -> [MultipartPart] {
        guard let (name, content) = text.cut(atASCII: "=") else {
            throw CommandFailure(.usage, "-F needs name=value, such as 'name=text' or 'name=@file'.")
        }
        var argument = FormArgument(rest: Array(content.utf8)[...])
        return try argument.parts(named: String(name))
    }

    /// The files that an argument names, up to the first mistake; `-` is standard input.
    static func files(_ text: String) -> [String] {
        guard let content = text.cut(atASCII: "=")?.after, let mark = content.utf8.first, "@<".utf8.contains(mark)
        else { return [] }
        let ends = mark == UInt8(ascii: "@") ? ";," : ";"
        var argument = FormArgument(rest: Array(content.utf8)[...])
        var files: [String] = []
        repeat {
            argument.rest = argument.rest.dropFirst()
            guard let path = try? argument.word(upTo: ends) else { break }
            files.append(path)
            guard (try? argument.options(upTo: ends)) != nil else { break }
        } while argument.rest.first == UInt8(ascii: ",")
        return files
    }

    /// The part of one --form-string.
    static func field(_ text: String) throws(CommandFailure) -> MultipartPart {
        guard let (name, value) = text.cut(atASCII: "=") else {
            throw CommandFailure(.usage, "--form-string needs name=value, such as 'name=text'.")
        }
        return try part(String(name), .text(String(value)), Options())
    }

    // MARK: Its content

    private struct Options {
        var type: String?
        var filename: String?
    }

    private mutating func parts(named name: String) throws(CommandFailure) -> [MultipartPart] {
        switch rest.first {
        case UInt8(ascii: "@"):
            var parts: [MultipartPart] = []
            repeat {
                rest = rest.dropFirst()
                let path = try word(upTo: ";,")
                parts.append(try Self.file(path, name, try options(upTo: ";,")))
            } while rest.first == UInt8(ascii: ",")
            return parts
        case UInt8(ascii: "<"):
            rest = rest.dropFirst()
            let path = try word(upTo: ";")
            let bytes = try InputFile.contents(of: path)
            return [try Self.part(name, .bytes(bytes), try options(upTo: ";"))]
        default:
            if rest.first == UInt8(ascii: "(") || name.isEmpty && rest.elementsEqual(")".utf8) {
                throw CommandFailure(
                    .usage,
                    "-F makes no form within a form, as curl does from =( to =): use --form-string for such a text.")
            }
            let text = try word(upTo: ";")
            return [try Self.part(name, .text(text), try options(upTo: ";"))]
        }
    }

    private mutating func options(upTo ends: String) throws(CommandFailure) -> Options {
        var options = Options()
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
            if rest.starts(with: "type=".utf8) {
                rest = rest.dropFirst(5)
                var type = try word(upTo: ends)
                // The parameters of a media type look like our options.
                while rest.first == UInt8(ascii: ";"), !isOption(rest.dropFirst().drop { $0 == UInt8(ascii: " ") }) {
                    rest = rest.dropFirst()
                    type += ";" + (try word(upTo: ends))
                }
                options.type = type
            } else if rest.starts(with: "filename=".utf8) {
                rest = rest.dropFirst(9)
                options.filename = try word(upTo: ends)
            } else {
                throw CommandFailure(
                    .usage,
                    "An -F has a ; that neither type= nor filename= follows: put the text in double quotes, or use --form-string."
                )
            }
        }
        return options
    }

    private func isOption(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "type=".utf8) || bytes.starts(with: "filename=".utf8)
    }

    /// A word, in double quotes or up to one of the ends.
    private mutating func word(upTo ends: String) throws(CommandFailure) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix { !ends.utf8.contains($0) }
            rest = rest[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }
        var word: [UInt8] = []
        var index = rest.startIndex + 1
        while index < rest.endIndex, rest[index] != UInt8(ascii: "\"") {
            if rest[index] == UInt8(ascii: "\\"), index + 1 < rest.endIndex, "\"\\".utf8.contains(rest[index + 1]) {
                index += 1
            }
            word.append(rest[index])
            index += 1
        }
        let after = rest[min(index + 1, rest.endIndex)...]
        guard index < rest.endIndex, after.isEmpty || ends.utf8.contains(after[after.startIndex]) else {
            throw CommandFailure(.usage, "An -F has a double quote that does not end, or ends in the middle of a word.")
        }
        rest = after
        return String(decoding: word, as: UTF8.self)
    }

    // MARK: Parts

    private static func file(_ path: String, _ name: String, _ options: Options) throws(CommandFailure) -> MultipartPart
    {
        var options = options
        options.filename = options.filename ?? (path == "-" ? "-" : URL(exactPath: path).lastPathComponent)
        options.type = options.type ?? mediaType(of: options.filename ?? "")
        return try part(name, try InputFile.body(path), options)
    }

    private static func part(
        _ name: String, _ body: RequestBody, _ options: Options
    ) throws(CommandFailure) -> MultipartPart {
        do throws(ConversationError) {
            return try MultipartPart(name: name, body, filename: options.filename, contentType: options.type)
        } catch {
            throw CommandFailure(.usage, "-F: \(error.message)")
        }
    }

    /// The media type by the name's extension, as in curl.
    private static func mediaType(of filename: String) -> String {
        let types = [
            "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png",
            "svg": "image/svg+xml", "txt": "text/plain", "htm": "text/html", "html": "text/html",
            "pdf": "application/pdf", "xml": "application/xml",
        ]
        let end = filename.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last
        return end.flatMap { types[String($0)?.lowercased() ?? ""] } ?? "application/octet-stream"
    }
}
