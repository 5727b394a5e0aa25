import Foundation
import TestSupport

/// Reads QR codes with a third party's decoder.
enum Scanner {
    /// A code's text; empty if there is none.
    ///
    /// - Parameter modules: true for dark modules, with the quiet zone
    static func read(_ modules: [[Bool]]) async throws -> String {
        let scale = 4
        let rows = modules.flatMap { row in
            let line = row.flatMap { Array(repeating: $0 ? "1" : "0", count: scale) }.joined(separator: " ") + "\n"
            return Array(repeating: line, count: scale)
        }
        let size = "\((modules.first?.count ?? 0) * scale) \(modules.count * scale)"
        let file = TemporaryPlace.unused("code.pbm")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("P1\n\(size)\n\(rows.joined())".utf8).write(to: file)
        let outcome = try await Program.run(
            "/usr/bin/zbarimg", ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", file.path(percentEncoded: false)])
        return String(outcome.text.dropLast())
    }

    /// Reads a code on a terminal without colours, which draws the light modules.
    static func read(_ text: String) async throws -> String {
        let lines = text.split(separator: "\n").filter { line in
            line.contains("█") && line.allSatisfy { "█▀▄ ".contains($0) }
        }
        return try await read(
            lines.flatMap { line in [line.map { !"█▀".contains($0) }, line.map { !"█▄".contains($0) }] })
    }
}
