#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A sequence of bytes to look for in a body that arrived in pieces.
struct ByteNeedle: Sendable {
    private let bytes: [UInt8]
    private let anchor: Int

    /// - Parameter anchor: a byte of it that is rare in what is searched
    init(_ bytes: [UInt8], anchor: UInt8) {
        self.bytes = bytes
        self.anchor = bytes.firstIndex(of: anchor) ?? 0
    }

    /// Whether the chunks, one after the other, contain it. Reads them once and copies nothing but their edges.
    func isIn(_ chunks: [[UInt8]]) -> Bool {
        /// What came last, too short to hold the needle.
        var tail: [UInt8] = []
        for chunk in chunks {
            if !tail.isEmpty, isInside(tail + chunk.prefix(bytes.count - 1)) { return true }
            if isInside(chunk) { return true }
            tail = Array((tail + chunk.suffix(bytes.count - 1)).suffix(bytes.count - 1))
        }
        return false
    }

    private func isInside(_ hay: [UInt8]) -> Bool {
        guard hay.count >= bytes.count else { return false }
        return hay.withUnsafeBytes { hay in
            bytes.withUnsafeBytes { needle in
                guard let start = hay.baseAddress, let wanted = needle.baseAddress else { return false }
                // The anchor's places: the C library looks for one byte faster than for several.
                var place = anchor
                let last = hay.count - needle.count + anchor
                while place <= last,
                    let found = memchr(start + place, Int32(needle[anchor]), last - place + 1)
                {
                    place = UnsafeRawPointer(found) - start
                    if memcmp(start + place - anchor, wanted, needle.count) == 0 { return true }
                    place += 1
                }
                return false
            }
        }
    }
}
