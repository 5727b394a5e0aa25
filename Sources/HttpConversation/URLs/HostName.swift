import HttpConvFormats
import HttpConvPlatform

/// The only code that parses host names (security rule S1).
enum HostName {
    /// Splits `host[:port]`; removes the brackets of an IPv6 literal.
    static func split(_ authority: Substring) throws(ConversationError) -> (host: Substring, port: Int?) {
        if authority.starts(withBytesOf: "[") {
            guard let close = authority.firstIndex(ofASCII: "]") else {
                throw refused("the bracket of the IPv6 address is not closed")
            }
            let host = authority[authority.utf8.index(after: authority.startIndex)..<close]
            guard isIPv6(String(host)) else { throw refused("it is not an IPv6 address") }
            return (host, try port(authority[authority.utf8.index(after: close)...]))
        }
        guard let colon = authority.firstIndex(ofASCII: ":") else { return (authority, nil) }
        return (authority[..<colon], try port(authority[colon...]))
    }

    private static func port(_ text: Substring) throws(ConversationError) -> Int? {
        guard let colon = text.utf8.first else { return nil }
        let digits = Substring(text.utf8.dropFirst())
        let isPort = colon == UInt8(ascii: ":")
        if isPort, digits.isEmpty { return nil }
        guard isPort, digits.utf8.count <= 5, let port = PeerNumber.integer(digits, in: 0...99_999) else {
            throw refused("the port is not a number")
        }
        return port
    }

    /// The normal form: lower case, IDNA, no trailing dot, canonical IPv6.
    static func normalise(_ text: String) throws(ConversationError) -> String {
        var host = Substring(text)
        if host.starts(withBytesOf: "["), host.ends(withBytesOf: "]") {
            host = Substring(host.utf8.dropFirst().dropLast())
        }
        if host.utf8.contains(UInt8(ascii: ":")) {
            guard let canonical = canonicalIPv6(String(host)) else { throw refused("it is not an IPv6 address") }
            return canonical
        }
        // One dot at the end is valid; IDNA may turn other characters into a dot, too.
        let encoded = host.utf8.allSatisfy { $0 < 0x80 } ? host : Substring(try encodeInternational(host))
        let ascii = String(encoded.ends(withBytesOf: ".") ? encoded.dropLast() : encoded)
        guard !ascii.isEmpty else { throw ConversationError(.invalidURL, "The URL has no host.") }
        for byte in ascii.utf8 where !isHostByte(byte) {
            throw refused("it contains a character that no host name may have")
        }
        guard ascii.utf8.count <= 253, !hasEmptyLabel(ascii) else {
            throw refused("it has an empty label or more than 253 characters")
        }
        guard !endsInNumber(ascii) || isIPv4(ascii) else {
            throw refused("it ends in a number, but is not an IPv4 address of four decimal numbers")
        }
        return ascii.utf8.contains(where: \.isASCIICapital) ? ascii.lowercased() : ascii
    }

    /// Compares bytes: Foundation's text search would cost more than all other checks.
    private static func hasEmptyLabel(_ host: String) -> Bool {
        var previous = UInt8(ascii: ".")
        for byte in host.utf8 {
            if byte == UInt8(ascii: "."), previous == byte { return true }
            previous = byte
        }
        return previous == UInt8(ascii: ".")
    }

    /// Whether the last label is a decimal, octal or hexadecimal number: resolvers read `127.1` and `0x7f.1` as
    /// addresses, and no top-level domain is a number.
    private static func endsInNumber(_ host: String) -> Bool {
        let label = host.lastIndex(ofASCII: ".").map { host[$0...].utf8.dropFirst() } ?? host[...].utf8
        if label.starts(with: "0x".utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
            return label.dropFirst(2).allSatisfy { $0.hexDigit != nil }
        }
        return label.allSatisfy(\.isASCIIDigit)
    }

    /// Encodes an international name; Foundation has the IDNA tables (UTS 46).
    private static func encodeInternational(_ host: Substring) throws(ConversationError) -> String {
        var components = URLComponents()
        components.host = String(host)
        guard !host.unicodeScalars.contains(where: { $0.value < 0x80 && !isHostByte(UInt8($0.value)) }),
            let encoded = components.encodedHost, encoded.utf8.allSatisfy({ $0 < 0x80 }), !encoded.contains(ascii: "%")
        else { throw refused("it is not a valid international name (IDNA)") }
        return encoded
    }

    /// Letters, digits, `-`, `.` and the underscore of internal names. No percent, no sub-delimiters.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    static func isIPLiteral(_ host: String) -> Bool { host.utf8.contains(UInt8(ascii: ":")) || isIPv4(host) }

    static func isIPv4(_ host: String) -> Bool { networkOfIPv4(host) != nil }

    /// The first number of an IPv4 literal in inet_pton's syntax: four decimal numbers up to 255 without leading zeros;
    /// nil for other text.
    ///
    /// Compares bytes, since it runs before every request that might carry a secret.
    static func networkOfIPv4(_ host: String) -> Int? {
        var network: Int?
        var dots = 0
        var number: Int?
        for byte in host.utf8 {
            switch (byte, number) {
            case (UInt8(ascii: "."), let ended?):
                if dots == 0 { network = ended }
                dots += 1
                number = nil
            case (0x30...0x39, nil): number = Int(byte) - 0x30
            case (0x30...0x39, let begun?) where begun != 0:
                let value = begun * 10 + Int(byte) - 0x30
                guard value <= 255 else { return nil }
                number = value
            default: return nil
            }
        }
        return dots == 3 && number != nil ? network : nil
    }

    static func isIPv6(_ host: String) -> Bool { canonicalIPv6(host) != nil }

    /// The 4 or 16 bytes of an IP literal without brackets; nil if it is invalid.
    static func bytes(ofIPLiteral literal: String) -> [UInt8]? {
        // A C string would end there.
        guard !literal.utf8.contains(0) else { return nil }
        if isIPv4(literal) { return literal.split(ascii: ".").compactMap { UInt8($0) } }
        var address = in6_addr()
        guard inet_pton(AF_INET6, literal, &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { Array($0) }
    }

    private static func canonicalIPv6(_ host: String) -> String? {
        // A C string would end there.
        guard !host.utf8.contains(0) else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Does not repeat the host: in `http://name:pass/word@host/` it is half of a password.
    private static func refused(_ why: String) -> ConversationError {
        ConversationError(.invalidURL, "The host of the URL is refused: \(why).")
    }
}
