import HttpConvPlatform
import HttpConvSystem

/// The terminal of a progress bar: its width and its characters.
package struct ProgressScreen: Sendable {
    var isUnicode = true
    let width: @Sendable () -> Int
    /// Ends the line that standard output, on the same terminal, may have left open.
    var beginLine: @Sendable () -> Void = {}
    let write: @Sendable (String) -> Void

    /// Standard error.
    static func standardError() -> ProgressScreen {
        ProgressScreen(
            isUnicode: isUnicode(ProcessInfo.processInfo.environment), width: { TerminalSize.current().columns },
            beginLine: {
                if isatty(1) != 0, StandardOutput.takeOpenLine() { _ = SystemCalls.writeAll(2, [UInt8(ascii: "\n")]) }
            },
            write: { _ = SystemCalls.writeAll(2, Array($0.utf8)) })
    }

    /// Whether the locale has UTF-8. Linux's console and terminals without a type have few characters regardless of it.
    package static func isUnicode(_ environment: [String: String]) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty }?.lowercased() ?? ""
        guard locale.contains("utf-8") || locale.contains("utf8") else { return false }
        return !["dumb", "linux", "vt100", "vt220"].contains(environment["TERM"] ?? "dumb")
    }
}
