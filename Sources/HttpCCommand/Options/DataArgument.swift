import HttpC

/// The arguments of -d and --data-binary.
enum DataArgument {
    /// All of them, joined with `&` as curl does.
    static func join(data: [String], binary: [String]) throws(CommandFailure) -> [UInt8] {
        var parts: [[UInt8]] = []
        for argument in data { parts.append(try bytes(of: argument, stripsLineEnds: true)) }
        for argument in binary { parts.append(try bytes(of: argument, stripsLineEnds: false)) }
        return Array(parts.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func bytes(of argument: String, stripsLineEnds: Bool) throws(CommandFailure) -> [UInt8] {
        guard argument.hasPrefix("@") else { return Array(argument.utf8) }
        // Data may begin with an @ by mistake, so it is not repeated where it is no file.
        let path = String(argument.dropFirst())
        let bytes = try path == "-" ? InputFile.readStandardInput() : InputFile.read(path, isShown: false)
        return stripsLineEnds ? bytes.filter { $0 != 10 && $0 != 13 && $0 != 0 } : bytes
    }
}
