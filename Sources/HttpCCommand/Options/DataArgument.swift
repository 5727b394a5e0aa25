import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The arguments of -d and related options.
enum DataArgument {
    /// The bytes of all of them, joined with `&`: kind by kind, each in its order.
    static func join(_ options: BodyOptions) throws(CommandFailure) -> [UInt8] {
        var parts: [[UInt8]] = []
        for argument in options.data {
            let lines = try file(argument)?.filter { ![10, 13, 0].contains($0) }
            parts.append(lines ?? Array(argument.utf8))
        }
        for argument in options.dataBinary { parts.append(try file(argument) ?? Array(argument.utf8)) }
        for argument in options.dataRaw { parts.append(Array(argument.utf8)) }
        for argument in options.dataEncoded { parts.append(try encoded(argument)) }
        return Array(parts.joined(separator: [UInt8(ascii: "&")]))
    }

    /// The bytes of all --json, unchanged.
    static func json(_ arguments: [String]) throws(CommandFailure) -> [UInt8] {
        var result: [UInt8] = []
        for argument in arguments { result += try InputFile.contents(argument) ?? Array(argument.utf8) }
        return result
    }

    /// The bytes of `@file`; nil without an @.
    private static func file(_ argument: String) throws(CommandFailure) -> [UInt8]? {
        do throws(CommandFailure) { return try InputFile.contents(argument) } catch {
            throw CommandFailure(
                error.status,
                error.message + " An @ begins the name of a file. Use --data-raw to send the text as it is.")
        }
    }

    /// The file of a --data-urlencode, `@file` or `name@file`; nil for a text.
    static func encodedFile(_ argument: String) -> Substring? {
        argument.cut(atASCII: "=") == nil ? argument.cut(atASCII: "@")?.after : nil
    }

    /// Encodes `text`, `=text`, `name=text`, `@file` or `name@file`.
    private static func encoded(_ argument: String) throws(CommandFailure) -> [UInt8] {
        let name: Substring
        let content: [UInt8]
        if let (before, after) = argument.cut(atASCII: "=") {
            (name, content) = (before, Array(after.utf8))
        } else if let (before, after) = argument.cut(atASCII: "@") {
            (name, content) = (before, try InputFile.contents(of: String(after)))
        } else {
            (name, content) = ("", Array(argument.utf8))
        }
        // A form writes a space as a plus sign, and encodes a typed plus sign.
        let value = Hexadecimal.percentEncoded(content).replacing("%20", with: "+")
        return Array((name.isEmpty ? "" : "\(name)=").utf8) + value.utf8
    }
}
