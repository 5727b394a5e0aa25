import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// Files of -b and -c: curl's Netscape format, or a snapshot in JSON.
enum CookieFile {
    /// Reads either format. A missing file has no cookies, as with curl. A file that cannot be reached is an error.
    ///
    /// - Parameter diagnostics: told about a file without a line that is a cookie
    static func read(_ path: String, _ diagnostics: Diagnostics? = nil) throws(CommandFailure) -> [Cookie] {
        if path.isEmpty { return [] }
        if path != "-", isMissing(path) { return [] }
        let bytes = try InputFile.contents(of: path)
        if let snapshot = decodeJSON(Data(bytes)) {
            return snapshot.cookies.compactMap { CookieRules.checked($0, readBackWith: .installed) }
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        // Decoding would change a line that is not UTF-8.
        let cookies = NetscapeCookies.parse(
            lines.compactMap { String(validating: $0, as: UTF8.self) }.joined(separator: "\n"))
        if cookies.isEmpty, lines.contains(where: NetscapeCookies.isMeantAsCookie) {
            diagnostics?.notice(
                "-b: no line of \"\(TerminalText.sanitise(path))\" is a cookie that httpc can read. Use a file that -c has written: lines with Set-Cookie, as -D writes them, are not read."
            )
        }
        return cookies
    }

    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && SystemCalls.isMissing(path, errno)
    }

    static func decodeJSON(_ data: Data) -> CookieStore.Snapshot? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try? decoder.decode(CookieStore.Snapshot.self, from: data)
    }

    /// Writes Netscape's format, readable by the owner only; `-` is standard output.
    static func write(_ snapshot: CookieStore.Snapshot, to path: String) async throws(CommandFailure) {
        let text = NetscapeCookies.format(snapshot.cookies)
        if path == "-" { return try StandardOutput.print(text) }
        try await OutputFile.write(text, to: path, isPrivate: true)
    }
}
