import Foundation
import HttpC

/// The cookie file format that Netscape began and curl goes on with: seven columns with tabs between them.
enum NetscapeCookies {
    /// Reads what can be read; lines that are no cookie are left out.
    static func parse(_ text: String) -> [Cookie] {
        text.split(whereSeparator: \.isNewline).compactMap { parse(line: $0) }
    }

    private static func parse(line: Substring) -> Cookie? {
        var line = line
        let isHttpOnly = line.hasPrefix("#HttpOnly_")
        if isHttpOnly { line = line.dropFirst("#HttpOnly_".count) }
        guard !line.hasPrefix("#") else { return nil }
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == 6 || columns.count == 7, let seconds = Double(columns[4]) else { return nil }
        let domain = columns[0].hasPrefix(".") ? columns[0].dropFirst() : columns[0]
        let value = columns.count == 7 ? String(columns[6]) : ""
        guard !domain.isEmpty, columns[2].hasPrefix("/"), isPrintable(columns[5]), isPrintable(Substring(value)) else {
            return nil
        }
        return Cookie(
            name: String(columns[5]), value: value, domain: domain.lowercased(),
            isHostOnly: columns[1].uppercased() != "TRUE", path: String(columns[2]),
            expires: seconds > 0 ? Date(timeIntervalSince1970: min(seconds, 1e11)) : nil,
            isSecure: columns[3].uppercased() == "TRUE", isHttpOnly: isHttpOnly)
    }

    private static func isPrintable(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }

    static func format(_ cookies: [Cookie]) -> String {
        "# Netscape HTTP Cookie File\n# Written by httpc. It holds secrets.\n\n"
            + cookies.filter { !$0.name.isEmpty }.map { format($0) + "\n" }.joined()
    }

    private static func format(_ cookie: Cookie) -> String {
        let seconds = cookie.expires.map { String(Int64(max(1, min($0.timeIntervalSince1970, 1e11)))) } ?? "0"
        return [
            (cookie.isHttpOnly ? "#HttpOnly_" : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", seconds,
            cookie.name, cookie.value,
        ].joined(separator: "\t")
    }
}
