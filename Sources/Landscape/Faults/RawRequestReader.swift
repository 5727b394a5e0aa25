import NIOCore

/// Splits the bytes of a connection into request heads, without judging them.
struct RawRequestReader {
    /// A head, as far as it could be understood.
    struct Head: Sendable {
        var method = ""
        var target = ""
        var fields: [HeaderField] = []
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
        let head = Self.parse(String(decoding: bytes[..<end], as: UTF8.self))
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

    private static func parse(_ text: String) -> Head {
        var head = Head()
        let lines = text.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        if words.count > 1 { (head.method, head.target) = (String(words[0]), String(words[1])) }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            head.fields.append(HeaderField(name: String(line[..<colon]), value: String(value)))
        }
        return head
    }
}
