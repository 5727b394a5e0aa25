/// A sequence of bytes to look for in a body that arrived in pieces.
struct ByteNeedle: Sendable {
    private let bytes: [UInt8]
    /// Where its first and last bytes other than zero are: half of the bytes of UTF-16 are zero, of a page as of this.
    private let first: Int
    private let last: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        first = bytes.firstIndex { $0 != 0 } ?? 0
        last = bytes.lastIndex { $0 != 0 } ?? 0
    }

    /// Whether the chunks, one after the other, contain it. Reads them once and copies nothing but their edges.
    func isIn(_ chunks: [[UInt8]]) -> Bool {
        /// What came last, too short to hold the needle.
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

    /// 32 places at once, by two bytes of the needle; only where both fit are the others compared. The C library's
    /// `memmem` is not to be had from Swift on Linux.
    private func search(_ hay: UnsafeRawBufferPointer, for needle: UnsafeRawBufferPointer) -> Bool {
        let width = SIMD32<UInt8>.scalarCount
        let (start, end) = (SIMD32(repeating: needle[first]), SIMD32(repeating: needle[last]))
        var place = 0
        while place + last + width <= hay.count {
            let starts = hay.loadUnaligned(fromByteOffset: place + first, as: SIMD32<UInt8>.self) .== start
            let ends = hay.loadUnaligned(fromByteOffset: place + last, as: SIMD32<UInt8>.self) .== end
            // `any(_:)` would look at one place after the other.
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
