import Foundation

/// PEM (RFC 7468, and the older form with header lines that RFC 1421 has for encrypted keys).
enum PEMText {
    /// One object of a file.
    struct Block {
        /// Such as `CERTIFICATE`.
        let label: String
        /// From its first line to its last, as it was written.
        let text: String
        /// What is inside; empty where the text is damaged.
        let bytes: [UInt8]
        /// Whether the header lines say that it is encrypted.
        let isEncrypted: Bool
    }

    private static let begin = "-----BEGIN "
    private static let end = "-----END "

    /// The objects of a file, in order; what is between them is no part of them.
    static func blocks(_ file: [UInt8]) -> [Block] {
        var blocks: [Block] = []
        var lines: [String]?
        // An empty line ends the header lines.
        for line in file.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let line = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            if line.hasPrefix(begin) { lines = [] }
            lines?.append(line)
            if line.hasPrefix(end), let found = lines {
                blocks.append(block(found))
                lines = nil
            }
        }
        return blocks
    }

    private static func block(_ lines: [String]) -> Block {
        let label = lines[0].dropFirst(begin.count).prefix { $0 != "-" }
        let content = lines.dropFirst().dropLast()
        let isHeader = { (line: String) in line.contains(":") || line.hasPrefix(" ") }
        let base64 = content.filter { !isHeader($0) }.joined()
        return Block(
            label: String(label), text: lines.joined(separator: "\n") + "\n",
            bytes: Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map { Array($0) } ?? [],
            isEncrypted: content.contains { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") })
    }

    static func encode(_ bytes: [UInt8], _ label: String) -> String {
        let base64 = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }
}
