import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The text of -w, in curl's notation: `%{name}`, `%header{name}`, `%{json}`, `%{stdout}`, `%{stderr}`, `%{onerror}`,
/// `%%`, and `\n`, `\r`, `\t`. Unknown names stay unchanged.
struct WriteOut: Sendable {
    private let format: [UInt8]

    /// - Parameter text: the text, or `@` and a file, whose line ends are left out as by curl
    init(_ text: String) throws(CommandFailure) {
        format = try InputFile.contents(text)?.filter { $0 != 13 && $0 != 10 } ?? Array(text.utf8)
    }

    /// The texts for standard output and standard error.
    func text(_ report: TransferReport) -> (output: String, errors: String) {
        var texts = (output: [UInt8](), errors: [UInt8]())
        var isError = false
        var rest = format[...]
        let values = report.values
        func add(_ bytes: some Sequence<UInt8>) {
            if isError { texts.errors += bytes } else { texts.output += bytes }
        }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let escaped = rest.first.flatMap({ Self.escapes[$0] }) {
                rest = rest.dropFirst()
                add([escaped])
            } else if byte == UInt8(ascii: "%"), rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                add([byte])
            } else if byte == UInt8(ascii: "%"), let name = Self.name("{", &rest) {
                switch name {
                case "stdout": isError = false
                case "stderr": isError = true
                case "onerror": if report.exit == .success { rest = [] }
                case "json": add(TerminalJSON.line(values.mapValues(\.json)).utf8)
                case "http_code" where report.status == nil, "response_code" where report.status == nil: add("000".utf8)
                default: add((values[name]?.printed ?? "%{\(name)}").utf8)
                }
            } else if byte == UInt8(ascii: "%"), let name = Self.name("header{", &rest) {
                add(Self.header(name, report).utf8)
            } else {
                add([byte])
            }
        }
        return (String(decoding: texts.output, as: UTF8.self), String(decoding: texts.errors, as: UTF8.self))
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    ]

    /// The name between the opening and the next brace.
    private static func name(_ opening: String, _ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.starts(with: opening.utf8) else { return nil }
        let name = rest.dropFirst(opening.utf8.count).prefix { $0 != UInt8(ascii: "}") }
        guard name.endIndex < rest.endIndex else { return nil }
        rest = rest[(name.endIndex + 1)...]
        return String(decoding: name, as: UTF8.self)
    }

    private static func header(_ name: String, _ report: TransferReport) -> String {
        guard let name = HTTPField.Name(name), let value = report.head?.headerFields[name] else { return "" }
        return TerminalText.sanitise(value, limit: 8192)
    }
}
