import HttpConvFormats

/// An index of a public suffix list's text: the offsets of its rules by their hash. None of ten thousand lines becomes
/// a string, because a run of a command looks up one or two of them.
struct SuffixIndex {
    /// The rules with non-ASCII letters, as written; they are not in the index.
    private(set) var others: [String] = []
    private let text: [UInt8]
    /// Offsets of rules, or `free`; at least half of the slots are free.
    private var slots: [Int]

    /// - Parameter list: one rule per line, up to a space; `//` starts a comment.
    init(_ list: String) {
        text = Array(list.utf8)
        var rules: [(start: Int, hash: UInt32)] = []
        var others: [String] = []
        text.withUnsafeBufferPointer { bytes in
            var position = 0
            while position < bytes.count {
                guard !Self.endsRule(bytes[position]) else {
                    position += 1
                    continue
                }
                let start = position
                var hash = Self.seed
                var isASCII = true
                while position < bytes.count, !Self.endsRule(bytes[position]) {
                    hash = Self.hash(hash, bytes[position])
                    isASCII = isASCII && bytes[position] < 0x80
                    position += 1
                }
                let rule = bytes[start..<position]
                if !isASCII, !rule.starts(with: "//".utf8) { others.append(String(decoding: rule, as: UTF8.self)) }
                if isASCII, !rule.starts(with: "//".utf8) { rules.append((start, hash)) }
                while position < bytes.count, !Self.endsLine(bytes[position]) { position += 1 }
            }
        }
        self.others = others
        var size = 2
        while size < 2 * rules.count { size *= 2 }
        slots = [Int](repeating: Self.free, count: size)
        for (start, hash) in rules {
            var slot = Int(hash) & (size - 1)
            while slots[slot] != Self.free { slot = (slot + 1) & (size - 1) }
            slots[slot] = start
        }
    }

    /// - Parameter rule: in lower case, with its `!` or `*.`
    func contains(_ rule: String) -> Bool {
        let hash = rule.utf8.reduce(Self.seed) { Self.hash($0, $1) }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != Self.free {
            if isRule(rule, at: slots[slot]) { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    private func isRule(_ rule: String, at start: Int) -> Bool {
        let end = start + rule.utf8.count
        guard end <= text.count, end == text.count || Self.endsRule(text[end]) else { return false }
        return zip(rule.utf8, text[start..<end]).allSatisfy { $0 == $1.asciiLowercased }
    }

    private static let free = -1
    private static let seed: UInt32 = 2_166_136_261

    /// The FNV-1a hash.
    private static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 {
        (hash ^ UInt32(byte.asciiLowercased)) &* 16_777_619
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func endsRule(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || endsLine(byte) }
}
