import HttpC
import HttpCClient
import HttpConvFormats
import HttpConvPlatform

/// Overwrites secrets in the process's argument vector, so that `ps` shows none (security rule S23).
///
/// It uses the place of each argument, not the parser's results: the parser keeps one value of a repeated option, and
/// nothing of invalid arguments.
enum SecretArguments {
    /// The part of an option's value that may be a secret.
    private enum Kind {
        case all
        /// The whole value, except for the name of a file after an @.
        case data
        /// The whole value, except for the name of a file, which has no equals sign.
        case cookie
        /// The text after the first colon.
        case user
        /// Userinfo, query and fragment.
        case url
    }

    private static let long: [Substring: Kind] = [
        "user": .user, "header": .all, "data": .data, "data-binary": .data, "data-raw": .all,
        "data-urlencode": .all, "json": .data, "form": .all, "form-string": .all, "cookie": .cookie, "referer": .all,
        "user-agent": .all, "answer": .all, "answer-origin": .url,
        "cert": .user, "cert-origin": .url, "pass": .all, "proxy": .url, "proxy-user": .user,
    ]
    private static let short: [UInt8: Kind] = [
        UInt8(ascii: "F"): .all, UInt8(ascii: "u"): .user, UInt8(ascii: "H"): .all, UInt8(ascii: "d"): .data,
        UInt8(ascii: "b"): .cookie,
        UInt8(ascii: "e"): .all, UInt8(ascii: "A"): .all, UInt8(ascii: "E"): .user,
        UInt8(ascii: "x"): .url, UInt8(ascii: "U"): .user,
    ]

    /// Overwrites the secrets. It runs before parsing and before other threads could read the vector; earlier copies of
    /// the vector stay.
    static func overwrite() {
        let secrets = ranges(in: (1..<max(1, Int(CommandLine.argc))).map { argument($0) })
        for (index, range) in secrets {
            guard let pointer = CommandLine.unsafeArgv[index + 1] else { continue }
            for offset in range { pointer[offset] = CChar(UInt8(ascii: "*")) }
        }
    }

    private static func argument(_ index: Int) -> [UInt8] {
        guard let pointer = CommandLine.unsafeArgv[index] else { return [] }
        return Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// Whether the command line had a password, so that the hint at alternatives is due.
    static func hasPassword(
        _ login: LoginOptions, _ certificate: CertificateOptions, _ web: WebOptions, _ server: ServerOptions,
        headers: [String]
    ) -> Bool {
        login.user?.contains(":") == true || certificate.file?.passphrase != nil || !web.answers.isEmpty
            || hasPassword(server) || headers.contains { $0.lowercased().hasPrefix("authorization:") }
    }

    private static func hasPassword(_ options: ServerOptions) -> Bool {
        if options.proxyUser?.contains(":") == true { return true }
        let login = options.proxy.flatMap { try? ProxyServer($0) }?.login
        return login?.password.value.isEmpty == false
    }

    /// The places of the secrets: the index of each argument, and the range of its bytes.
    static func ranges(in arguments: [[UInt8]]) -> [(index: Int, range: Range<Int>)] {
        // A shell asks for completions with the words of its line. bash cuts them at colons and equals signs.
        if arguments.first.map({ $0.elementsEqual("---completion".utf8) }) == true {
            return arguments.enumerated().dropFirst().map { ($0.offset, $0.element.indices) }
        }
        var result: [(Int, Range<Int>)] = []
        var pending: Kind?
        var isPastOptions = false
        for (index, bytes) in arguments.enumerated() {
            if let kind = pending {
                pending = nil
                result += secrets(kind, bytes[...]).map { (index, $0) }
            } else if isPastOptions || bytes.first != UInt8(ascii: "-") {
                result += secrets(.url, bytes[...]).map { (index, $0) }
            } else if bytes.elementsEqual("--".utf8) {
                isPastOptions = true
            } else {
                let (kind, value) = option(bytes)
                if let kind, let value { result += secrets(kind, value).map { (index, $0) } }
                if value == nil { pending = kind }
            }
        }
        return result.filter { !$0.1.isEmpty }
    }

    /// The kind of an option's value, and the value if it is in the same argument.
    private static func option(_ bytes: [UInt8]) -> (Kind?, ArraySlice<UInt8>?) {
        if bytes.starts(with: "--".utf8) {
            let equals = bytes.firstIndex(of: UInt8(ascii: "="))
            let name = String(decoding: bytes[2..<(equals ?? bytes.endIndex)], as: UTF8.self)
            return (long[name[...]], equals.map { bytes[($0 + 1)...] })
        }
        for (index, letter) in bytes.enumerated().dropFirst() {
            guard ShortOptions.withValue.contains(letter) else { continue }
            guard let kind = short[letter] else { break }
            let value = bytes[(index + 1)...]
            return (kind, value.isEmpty ? nil : value)
        }
        return (nil, nil)
    }

    private static func secrets(_ kind: Kind, _ value: ArraySlice<UInt8>) -> [Range<Int>] {
        switch kind {
        case .all: return [value.indices]
        case .data: return value.first == UInt8(ascii: "@") ? [] : [value.indices]
        case .cookie: return value.contains(UInt8(ascii: "=")) ? [value.indices] : []
        case .user:
            guard let colon = value.firstIndex(of: UInt8(ascii: ":")) else { return [] }
            let password = (colon + 1)..<value.endIndex
            // Without a password the name is a key.
            return password.isEmpty ? [value.indices] : [password]
        case .url: return secretsOfURL(value)
        }
    }

    private static func secretsOfURL(_ url: ArraySlice<UInt8>) -> [Range<Int>] {
        let colon = url.firstIndex(of: UInt8(ascii: ":")) ?? url.startIndex
        let start = url[colon...].starts(with: "://".utf8) ? colon + 3 : url.startIndex
        let end = url[start...].firstIndex { "/?#".utf8.contains($0) } ?? url.endIndex
        // A password that is not percent-encoded may end the authority early.
        let port = url[start..<end].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let isBroken = port.contains { !$0.isASCIIDigit }
        let at = url[start..<(isBroken ? url.endIndex : end)].lastIndex(of: UInt8(ascii: "@"))
        let query = url[(at ?? start)...].firstIndex { "?#".utf8.contains($0) }.map { ($0 + 1)..<url.endIndex }
        return [at.map { start..<$0 }, query].compactMap { $0 }
    }
}
