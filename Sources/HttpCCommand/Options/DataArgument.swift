import Foundation
import HttpC

/// The arguments of -d and its relatives.
enum DataArgument {
    /// All of them, joined with `&`: kind by kind, each in its order.
    static func join(_ options: BodyOptions) throws(CommandFailure) -> [UInt8] {
        var parts: [[UInt8]] = []
        for argument in options.data {
            let content = try bytes(of: argument)
            parts.append(isFile(argument) ? content.filter { ![10, 13, 0].contains($0) } : content)
        }
        for argument in options.dataBinary { parts.append(try bytes(of: argument)) }
        for argument in options.dataRaw { parts.append(Array(argument.utf8)) }
        for argument in options.dataEncoded { parts.append(try encoded(argument)) }
        return Array(parts.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Those of --json, as they are.
    static func json(_ arguments: [String]) throws(CommandFailure) -> [UInt8] {
        var result: [UInt8] = []
        for argument in arguments { result += try bytes(of: argument) }
        return result
    }

    private static func bytes(of argument: String) throws(CommandFailure) -> [UInt8] {
        try isFile(argument) ? file(argument.dropASCIIPrefix()) : Array(argument.utf8)
    }

    private static func isFile(_ argument: String) -> Bool { argument.utf8.first == UInt8(ascii: "@") }

    /// `text`, `=text`, `name=text`, `@file`, `name@file`.
    private static func encoded(_ argument: String) throws(CommandFailure) -> [UInt8] {
        let name: Substring
        let content: [UInt8]
        if let (before, after) = argument.cut(atASCII: "=") {
            (name, content) = (before, Array(after.utf8))
        } else if let (before, after) = argument.cut(atASCII: "@") {
            (name, content) = (before, try file(String(after)))
        } else {
            (name, content) = ("", Array(argument.utf8))
        }
        // A form writes a space as a plus sign; a plus sign that was typed is encoded.
        let value = Hexadecimal.percentEncoded(content).replacingOccurrences(of: "%20", with: "+")
        return Array((name.isEmpty ? "" : "\(name)=").utf8) + value.utf8
    }

    /// Data may begin with an @ by mistake, so it is not repeated where it is no file.
    private static func file(_ path: String) throws(CommandFailure) -> [UInt8] {
        try path == "-" ? InputFile.readStandardInput() : InputFile.read(path, isShown: false)
    }
}

extension String {
    /// Without its first byte, which the caller has seen to be ASCII: as a character it may have a combining mark.
    fileprivate func dropASCIIPrefix() -> String { String(decoding: utf8.dropFirst(), as: UTF8.self) }
}
