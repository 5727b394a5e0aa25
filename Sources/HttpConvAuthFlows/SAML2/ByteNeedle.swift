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

    /// Compares 32 positions at once by two bytes of the needle; compares the others only if both match. Swift on Linux
    /// does not offer the C library's `memmem`.
    private func search(_ hay: UnsafeRawBufferPointer, for needle: UnsafeRawBufferPointer) -> Bool {
        let width = SIMD32<UInt8>.scalarCount
        let (start, end) = (SIMD32(repeating: needle[first]), SIMD32(repeating: needle[last]))
        let (startMask, endMask) = (SIMD32(repeating: masks[first]), SIMD32(repeating: masks[last]))
        var place = 0
        while place + last + width <= hay.count {
            let starts =
                (hay.loadUnaligned(fromByteOffset: place + first, as: SIMD32<UInt8>.self) | startMask) .== start
            let ends = (hay.loadUnaligned(fromByteOffset: place + last, as: SIMD32<UInt8>.self) | endMask) .== end
            // `any(_:)` would test one position after the other.
            let hits = unsafeBitCast(starts .& ends, to: SIMD4<UInt64>.self)
            if hits[0] | hits[1] | hits[2] | hits[3] != 0, isAt(place..<(place + width), of: hay, needle) {
                return true
            }
            place += width
        }
        return isAt(place..<hay.count, of: hay, needle)
    }

    private func isAt(_ places: Range<Int>, of hay: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        places.contains { place in
            place + needle.count <= hay.count && needle.indices.allSatisfy { hay[place + $0] | masks[$0] == needle[$0] }
        }
    }
}
