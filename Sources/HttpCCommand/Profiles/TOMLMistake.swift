import HttpC
import TOMLKit

/// The mistake in a text that is not valid TOML. The parser's own message quotes the text, which may be a secret, so
/// only the kind of the mistake is used.
struct TOMLMistake {
    private let error: TOMLParseError?
    private let lines: [Substring]

    init(_ error: TOMLParseError?, in text: String) {
        self.error = error
        lines = text.split(ascii: "\n", keepsEmpty: true)
    }

    /// The place of the mistake, and advice.
    var text: String {
        guard let error else { return " it is no TOML. Is a quote, a bracket or an equals sign missing?" }
        let (line, column) = (Int(error.source.begin.line), Int(error.source.begin.column))
        guard error.description.contains("cannot redefine existing"), lines.indices.contains(line - 1) else {
            return Self.text(line, column)
        }
        let twice = lines[line - 1].trimmingSpaces
        guard twice.utf8.first == UInt8(ascii: "[") else {
            let name = twice.cut(atASCII: "=").flatMap { Self.name($0.before) }
            return
                " line \(line): \(name.map { "\"\($0)\"" } ?? "the key") has a value already. Leave one of the two out."
        }
        let name = Self.header(twice)
        let first = name.flatMap { name in lines.prefix(line - 1).lastIndex { Self.header($0.trimmingSpaces) == name } }
        return " line \(line): the table\(name.map { " [\($0)]" } ?? "") is there already"
            + (first.map { ", in line \($0 + 1)" } ?? "") + ". Put what is in it under one heading."
    }

    /// The message for a place that is no TOML.
    static func text(_ line: Int, _ column: Int) -> String {
        " line \(line), column \(column): it is no TOML there. Is a quote, a bracket or an equals sign missing?"
    }

    /// The name between the brackets of a heading; nil if it has unusual characters.
    private static func header(_ line: Substring) -> String? {
        guard line.utf8.first == UInt8(ascii: "["), let end = line.cut(atASCII: "]") else { return nil }
        return name(Substring(end.before.drop { $0 == "[" }))
    }

    /// A key without quotes and blanks; nil if it has other characters than keys need.
    private static func name(_ text: Substring) -> String? {
        let plain = text.utf8.filter { !" \t\"'".utf8.contains($0) }
        guard !plain.isEmpty, plain.count <= 100,
            plain.allSatisfy({ $0.isAlphanumeric || "-_.".utf8.contains($0) })
        else { return nil }
        return String(decoding: plain, as: UTF8.self)
    }
}
