import Foundation

/// Overwrites secrets in the process's argument vector, so that `ps` shows none (security rule S23).
enum SecretArguments {
    /// Overwrites the secrets that parsed options hold.
    static func overwrite(_ command: RequestCommand) {
        var secrets = passwords(in: CommandLine.arguments)
        secrets += command.login.cookies.filter { $0.contains("=") }
        secrets += command.request.headers
        overwrite(command.web)
        secrets += (command.request.data + command.request.dataBinary).filter { !$0.hasPrefix("@") }
        for secret in secrets { overwriteTail(secret) }
        if let at = command.url.lastIndex(of: "@") { overwriteUserinfo(String(command.url[..<at])) }
    }

    /// Overwrites prepared answers, with the names of their fields.
    static func overwrite(_ options: WebOptions) {
        for answer in options.answers { overwriteTail(answer) }
    }

    /// What follows the colon in every -u; the parser keeps the last one only.
    static func passwords(in arguments: [String]) -> [String] {
        var values: [Substring] = []
        for (index, argument) in arguments.enumerated() {
            if index > 0, takesUser(arguments[index - 1]) { values.append(argument[...]) }
            if argument.hasPrefix("--user=") { values.append(argument.dropFirst(7)) }
            if argument.hasPrefix("-"), !argument.hasPrefix("--"), let u = argument.firstIndex(of: "u") {
                values.append(argument[argument.index(after: u)...])
            }
        }
        return values.compactMap { value in
            value.cut(atASCII: ":").map { String($0.after) }
        }
    }

    /// `-u`, `--user`, or a cluster of flags that ends in `u`.
    private static func takesUser(_ argument: String) -> Bool {
        argument == "--user" || (argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.hasSuffix("u"))
    }

    /// Whether the command line held a password, which a hint at the alternatives is due for.
    static func hasPassword(_ command: RequestCommand) -> Bool {
        command.login.user?.contains(":") == true || !command.web.answers.isEmpty
            || command.request.headers.contains { $0.lowercased().hasPrefix("authorization:") }
    }

    /// An option's value stands at the end of an argument: `-uname:secret`, `--user=name:secret`, `secret`.
    private static func overwriteTail(_ secret: String) {
        let secret = Array(secret.utf8)
        guard !secret.isEmpty else { return }
        forEachArgument { bytes in
            guard bytes.count >= secret.count, bytes.suffix(secret.count).elementsEqual(secret) else { return }
            let before = bytes.dropLast(secret.count)
            guard before.isEmpty || before.first == UInt8(ascii: "-") || before.last == UInt8(ascii: ":") else {
                return
            }
            for index in (bytes.count - secret.count)..<bytes.count { bytes[index] = UInt8(ascii: "*") }
        }
    }

    /// What stands between the scheme and the last `@` of a URL.
    private static func overwriteUserinfo(_ prefix: String) {
        let start = prefix.range(of: "://")?.upperBound ?? prefix.startIndex
        let authority = prefix[start...]
        guard !authority.contains("/") else { return }
        let prefix = Array(prefix.utf8)
        let secretCount = authority.utf8.count
        forEachArgument { bytes in
            guard bytes.starts(with: prefix) else { return }
            for index in (prefix.count - secretCount)..<prefix.count { bytes[index] = UInt8(ascii: "*") }
        }
    }

    /// Not the program's name. Runs before any other thread could read the vector.
    private static func forEachArgument(_ change: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let pointer = CommandLine.unsafeArgv[index] else { continue }
            var count = 0
            while pointer[count] != 0 { count += 1 }
            pointer.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
                change(UnsafeMutableBufferPointer(start: bytes, count: count))
            }
        }
    }
}
