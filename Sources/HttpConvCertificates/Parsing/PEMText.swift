import HttpConvFormats
import HttpConvPlatform

/// PEM (RFC 7468), including the older form with header lines for encrypted keys (RFC 1421).
enum PEMText {
    /// One object of a file.
    struct Block {
        /// The label, such as `CERTIFICATE`.
        let label: String
        /// The original text from the first line to the last, if the header lines say that it is encrypted.
        let text: String
        /// The decoded bytes; empty if the text is damaged.
        let bytes: [UInt8]
        /// Whether the header lines say that it is encrypted.
        let isEncrypted: Bool
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    /// More objects than any identity has.
    private static let maximumBlocks = 200

    /// The objects of a file, in order. Text between them is ignored. Works on bytes in place: a file of empty lines
    /// would grow to many times its size as strings.
    static func blocks(_ file: [UInt8]) -> [Block] { blocks(file, atMost: .max) }

    /// The objects of a file with a certificate or key: a short file with few objects.
    static func identityBlocks(_ file: [UInt8]) throws(CertificateError) -> [Block] {
        guard file.count <= IdentityFile.maximumBytes else {
            throw CertificateError(.unreadable, "It is larger than \(IdentityFile.maximumBytes) bytes.")
        }
        return blocks(file, atMost: maximumBlocks)
    }

    private static func blocks(_ file: [UInt8], atMost maximum: Int) -> [Block] {
        var blocks: [Block] = []
        var start: Int?
        // Editors may write a byte order mark.
        forEachLine(file.dropFirst(file.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)) { line in
            if line.starts(with: begin) { start = line.startIndex }
            guard line.starts(with: end), let first = start, blocks.count < maximum else { return }
            blocks.append(block(file[first..<line.endIndex]))
            start = nil
        }
        return blocks
    }

    private static func block(_ text: ArraySlice<UInt8>) -> Block {
        var label: String?
        var isEncrypted = false
        var base64: [UInt8] = []
        base64.reserveCapacity(text.count)
        forEachLine(text) { line in
            guard label != nil else {
                label = String(decoding: line.dropFirst(begin.count).prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)
                return
            }
            if line.contains(UInt8(ascii: ":")) || line.first == UInt8(ascii: " ") {
                isEncrypted = isEncrypted || String(decoding: line.prefix(64), as: UTF8.self).isEncryptedHeader
            } else if !line.starts(with: end) {
                base64 += line
            }
        }
        let bytes = Data(base64Encoded: Data(base64), options: .ignoreUnknownCharacters).map { Array($0) } ?? []
        let isCarriageReturn: (UInt8) -> Bool = { $0 == 0x0D }
        return Block(
            label: label ?? "",
            text: isEncrypted ? String(decoding: text.filter { !isCarriageReturn($0) }, as: UTF8.self) + "\n" : "",
            bytes: bytes, isEncrypted: isEncrypted)
    }

    /// Calls `body` with each line, without its LF or CR LF.
    private static func forEachLine(_ text: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: 0x0A) ?? text.endIndex
            let line = text[start..<end]
            body(line.last == 0x0D ? line.dropLast() : line)
            start = end + 1
        }
    }

    static func encode(_ bytes: [UInt8], _ label: String) -> String {
        let base64 = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }
}

extension String {
    fileprivate var isEncryptedHeader: Bool { hasPrefix("Proc-Type:") && contains("ENCRYPTED") }
}
