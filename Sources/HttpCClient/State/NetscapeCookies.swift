import HttpC
import HttpConvFormats
import HttpConvPlatform

/// The cookie file format of Netscape and curl: seven columns with tabs between them.
enum NetscapeCookies {
    /// Reads the valid lines. Other lines, and cookies that no server could have set, are left out.
    ///
    /// Only LF ends a line (security rule S15); other separators are part of a value.
    static func parse(_ text: String, suffixes: PublicSuffixList? = .installed) -> [Cookie] {
        let lines = text.split(ascii: "\n")
        let now = Date()
        return lines.indices.compactMap { index in
            // The order of the lines is the order in which the cookies were set.
            parse(lines[index], created: now.addingTimeInterval(Double(index - lines.count) / 1_000_000))
        }.compactMap { CookieRules.checked($0, readBackWith: suffixes) }
    }

    /// Whether a line has text that is not a comment.
    static func isMeantAsCookie(_ line: some Collection<UInt8>) -> Bool {
        guard let first = line.first(where: { ![0x09, 0x0D, 0x20].contains($0) }) else { return false }
        return first != UInt8(ascii: "#") || line.starts(with: httpOnlyMark.utf8)
    }

    private static func parse(_ line: Substring, created: Date) -> Cookie? {
        var line = line.ends(withBytesOf: "\r") ? Substring(line.utf8.dropLast()) : line
        let isHttpOnly = line.starts(withBytesOf: httpOnlyMark)
        if isHttpOnly { line = Substring(line.utf8.dropFirst(httpOnlyMark.utf8.count)) }
        guard !line.starts(withBytesOf: "#") else { return nil }
        let columns = line.split(ascii: "\t", keepsEmpty: true)
        guard columns.count == 6 || columns.count == 7, let seconds = PeerNumber.decimal(columns[4]) else { return nil }
        let domain = columns[0].starts(withBytesOf: ".") ? Substring(columns[0].utf8.dropFirst()) : columns[0]
        return Cookie(
            name: String(columns[5]), value: columns.count == 7 ? String(columns[6]) : "",
            domain: domain.asciiLowercased, isHostOnly: columns[1].asciiLowercased != "true", path: String(columns[2]),
            expires: seconds > 0 ? PeerNumber.date(secondsSince1970: min(seconds, 1e11)) : nil,
            isSecure: columns[3].asciiLowercased == "true", isHttpOnly: isHttpOnly, created: created)
    }

    private static let httpOnlyMark = "#HttpOnly_"

    /// Writes only cookies that would be read back unchanged.
    ///
    /// - Parameter marksHTTPOnly: whether cookies for HTTP alone are marked as such. wget takes such a line for a
    ///   comment
    static func format(_ cookies: [Cookie], marksHTTPOnly: Bool = true) -> String {
        let lines = cookies.compactMap { line(of: $0) }.map { line in
            !marksHTTPOnly && line.starts(withBytesOf: httpOnlyMark)
                ? String(decoding: line.utf8.dropFirst(httpOnlyMark.utf8.count), as: UTF8.self) : line
        }
        return "# Netscape HTTP Cookie File\n# Written by httpc. It holds secrets.\n\n"
            + lines.map { "\($0)\n" }.joined()
    }

    private static func line(of cookie: Cookie) -> String? {
        let line = format(cookie)
        guard CookieRules.mayBeKept(cookie), !cookie.name.isEmpty, !line.contains(ascii: "\n"),
            let read = parse(line[...], created: cookie.created),
            CookieRules.checked(read) == read, CookieIdentity(read) == CookieIdentity(cookie),
            read.value == cookie.value, read.isSecure == cookie.isSecure, read.isHttpOnly == cookie.isHttpOnly
        else { return nil }
        return line
    }

    private static func format(_ cookie: Cookie) -> String {
        let seconds =
            cookie.expires.map {
                String(PeerNumber.integer($0.timeIntervalSince1970, clampingTo: 1...100_000_000_000) ?? 1)
            } ?? "0"
        return [
            (cookie.isHttpOnly ? httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", seconds,
            cookie.name, cookie.value,
        ].joined(separator: "\t")
    }
}
