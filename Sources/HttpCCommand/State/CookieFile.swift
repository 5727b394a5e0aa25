import Foundation
import HttpC

/// Files of -b and -c: Netscape's format, as curl's, or a snapshot in JSON.
enum CookieFile {
    /// Reads either format; a missing file holds no cookies, as with curl.
    static func read(_ path: String) throws(CommandFailure) -> [Cookie] {
        if path.isEmpty { return [] }
        guard path == "-" || access(path, F_OK) == 0 else { return [] }
        let bytes = try path == "-" ? InputFile.readStandardInput() : InputFile.read(path)
        if let snapshot = decodeJSON(Data(bytes)) {
            return snapshot.cookies.compactMap { CookieRules.checked($0, readBackWith: .system) }
        }
        return NetscapeCookies.parse(String(decoding: bytes, as: UTF8.self))
    }

    static func decodeJSON(_ data: Data) -> CookieStore.Snapshot? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try? decoder.decode(CookieStore.Snapshot.self, from: data)
    }

    /// Writes Netscape's format, readable by the owner only; `-` is standard output.
    static func write(_ snapshot: CookieStore.Snapshot, to path: String) throws(CommandFailure) {
        let bytes = Array(NetscapeCookies.format(snapshot.cookies).utf8)
        if path == "-" {
            let code = Posix.writeAll(1, bytes)
            guard code == 0 else { throw failure("standard output", code) }
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        let reason = errno
        // As with every other output file, a link that leads nowhere, or to itself, is not replaced.
        if !exists, lstat(path, &status) == 0 { throw failure(path, reason) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            let code = descriptor < 0 ? errno : Posix.writeAll(descriptor, bytes)
            if descriptor >= 0 { close(descriptor) }
            guard code == 0 else { throw failure(path, code) }
            return
        }
        // A link's target gets the cookies, as with every other output file.
        let final = exists ? URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false) : path
        var template = Array("\(final).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(path, errno) }
        fchmod(descriptor, 0o600)
        var code = Posix.writeAll(descriptor, bytes)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0, rename(template, final) != 0 { code = errno }
        guard code == 0 else {
            unlink(template)
            throw failure(path, code)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .outputFailed, "Cannot write the cookies to \"\(TerminalText.sanitise(path))\": \(Posix.reason(code)).")
    }
}
