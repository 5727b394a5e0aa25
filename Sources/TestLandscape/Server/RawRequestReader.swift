import NIOCore

/// Splits the bytes of a connection into request heads, without validating them.
struct RawRequestReader {
    /// The parts of a head that could be parsed.
    struct Head: Sendable {
        private(set) var method = ""
        private(set) var target = ""
        private(set) var fields: [HeaderField] = []

        init(_ bytes: some Sequence<UInt8>) {
            let lines = String(decoding: Array(bytes), as: UTF8.self).split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            if words.count > 1 { (method, target) = (String(words[0]), String(words[1])) }
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                fields.append(HeaderField(name: String(line[..<colon]), value: String(value)))
            }
        }
    }

    private var bytes: [UInt8] = []
    private var bodyToSkip = 0

    mutating func append(_ buffer: ByteBuffer) {
        bytes.append(contentsOf: buffer.readableBytesView)
    }

    /// The next complete head.
    mutating func next() -> Head? {
        let skipped = min(bodyToSkip, bytes.count)
        bytes.removeFirst(skipped)
        bodyToSkip -= skipped
        guard bodyToSkip == 0, let end = endOfHead() else { return nil }
        let head = Head(bytes[..<end])
        bytes.removeFirst(end)
        bodyToSkip = head.fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        bodyToSkip = max(0, bodyToSkip)
        return head
    }

    private func endOfHead() -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index..<index + 4].elementsEqual([13, 10, 13, 10]) {
            return index + 4
        }
        return nil
    }
}
