/// A sequence of bytes to search for in a body that arrived in pieces.
struct ByteNeedle: Sendable {
    private let bytes: [UInt8]
    /// The positions of its first and last non-zero bytes: in UTF-16, half of the bytes of a page are zero.
    private let first: Int
    private let last: Int
    /// The bits to set in each byte of a body before it is compared: one for letters if their case is ignored.
    private let masks: [UInt8]

    /// How many bytes a character of a page has, and their order.
    enum Width: Sendable {
        case narrow, littleEndian, bigEndian
    }

    /// - Parameters:
    ///   - text: ASCII; in lower case if `ignoresCase` is true
    init(_ text: String, _ width: Width, ignoresCase: Bool = false) {
        let bytes: [UInt8] = text.utf8.flatMap { byte -> [UInt8] in
            switch width {
            case .narrow: [byte]
            case .littleEndian: [byte, 0]
            case .bigEndian: [0, byte]
            }
        }
        self.init(bytes, ignoresCase: ignoresCase)
    }

    init(_ bytes: [UInt8], ignoresCase: Bool = false) {
        self.bytes = bytes
        masks = bytes.map { ignoresCase && (0x61...0x7A).contains($0) ? 0x20 : 0 }
        first = bytes.firstIndex { $0 != 0 } ?? 0
        last = bytes.lastIndex { $0 != 0 } ?? 0
    }

    /// Whether the joined chunks contain it. Reads them once and copies only their edges.
    func isIn(_ chunks: [[UInt8]]) -> Bool {
        /// The end of the previous chunks, too short to hold the needle.
        var tail: [UInt8] = []
        for chunk in chunks {
            let edge = min(chunk.count, bytes.count - 1)
            if !tail.isEmpty, isInside(tail + chunk[..<edge]) { return true }
            if isInside(chunk) { return true }
            tail += chunk[(chunk.count - edge)...]
            tail.removeFirst(max(0, tail.count - bytes.count + 1))
        }
        return false
    }

    private func isInside(_ hay: [UInt8]) -> Bool {
        hay.withUnsafeBytes { hay in bytes.withUnsafeBytes { search(hay, for: $0) } }
    }

    /// Compares 8 positions at once by two bytes of the needle; compares the others only if both may match. Swift on
    /// Linux does not offer the C library's `memmem`, and compares vectors byte by byte.
    private func search(_ hay: UnsafeRawBufferPointer, for needle: UnsafeRawBufferPointer) -> Bool {
        let width = MemoryLayout<UInt64>.size
        let (start, end) = (
            Self.everywhere * UInt64(truncatingIfNeeded: needle[first]),
            Self.everywhere * UInt64(truncatingIfNeeded: needle[last])
        )
        let (startMask, endMask) = (
            Self.everywhere * UInt64(truncatingIfNeeded: masks[first]),
            Self.everywhere * UInt64(truncatingIfNeeded: masks[last])
        )
        var place = 0
        while place + last + width <= hay.count {
            let starts = (hay.loadUnaligned(fromByteOffset: place + first, as: UInt64.self) | startMask) ^ start
            let ends = (hay.loadUnaligned(fromByteOffset: place + last, as: UInt64.self) | endMask) ^ end
            if Self.zeroBytes(starts) & Self.zeroBytes(ends) != 0, isAt(place..<(place + width), of: hay, needle) {
                return true
            }
            place += width
        }
        return isAt(place..<hay.count, of: hay, needle)
    }

    /// A one in each byte.
    private static let everywhere: UInt64 = 0x0101_0101_0101_0101

    /// The highest bit of each byte that is zero. A byte of 1 above a zero one may be marked, too.
    private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- everywhere) & ~word & (everywhere << 7) }

    private func isAt(_ places: Range<Int>, of hay: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        places.contains { place in
            place + needle.count <= hay.count && needle.indices.allSatisfy { hay[place + $0] | masks[$0] == needle[$0] }
        }
    }
}
