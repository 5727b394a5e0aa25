/// A sequence of bytes to search for in a body that arrived in pieces.
struct ByteNeedle: Sendable {
    private let bytes: [UInt8]
    /// The positions of its first and last non-zero bytes: in UTF-16, half of the bytes of a page are zero.
    private let first: Int
    private let last: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
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
        var place = 0
        while place + last + width <= hay.count {
            let starts = hay.loadUnaligned(fromByteOffset: place + first, as: SIMD32<UInt8>.self) .== start
            let ends = hay.loadUnaligned(fromByteOffset: place + last, as: SIMD32<UInt8>.self) .== end
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
            place + needle.count <= hay.count && hay[place + first] == needle[first]
                && hay[place..<(place + needle.count)].elementsEqual(needle)
        }
    }
}
