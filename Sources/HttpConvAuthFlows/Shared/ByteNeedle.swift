import HttpConvPlatform

/// A sequence of bytes to search for in a body that arrived in pieces.
struct ByteNeedle: Sendable {
    private let bytes: [UInt8]
    /// The bits to set in each byte of a body before it is compared: one for letters if their case is ignored.
    private let masks: [UInt8]
    /// The position of the byte that is looked for first. The C library's search for one byte is much faster than any
    /// loop of ours.
    private let rarest: Int

    /// The number of bytes of a page's characters, and their order.
    enum Width: Sendable {
        case narrow, littleEndian, bigEndian
    }

    /// - Parameters: as for ``PageWord``
    init(_ text: String, _ width: Width, rarest: Unicode.Scalar, ignoresCase: Bool = false) {
        bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch width {
            case .narrow: [byte]
            case .littleEndian: [byte, 0]
            case .bigEndian: [0, byte]
            }
        }
        masks = bytes.map { ignoresCase && (0x61...0x7A).contains($0) ? 0x20 : 0 }
        self.rarest = bytes.firstIndex(of: UInt8(ascii: rarest)) ?? 0
    }

    /// Whether the joined chunks contain it. Copies only their edges.
    func isIn(_ chunks: [[UInt8]]) -> Bool {
        if chunks.count == 1 { return isInside(chunks[0]) }
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
        let (byte, mask) = (bytes[rarest], masks[rarest])
        return hay.withUnsafeBytes { hay in
            isInside(hay, at: byte) || mask != 0 && isInside(hay, at: byte & ~mask)
        }
    }

    /// - Parameter byte: the rarest byte, in one case
    private func isInside(_ hay: UnsafeRawBufferPointer, at byte: UInt8) -> Bool {
        let end = hay.count - (bytes.count - 1 - rarest)
        var place = rarest
        while place < end, let found = hay.firstIndex(of: byte, in: place..<end) {
            if isAt(found - rarest, of: hay) { return true }
            place = found + 1
        }
        return false
    }

    private func isAt(_ place: Int, of hay: UnsafeRawBufferPointer) -> Bool {
        for index in bytes.indices where hay[place + index] | masks[index] != bytes[index] { return false }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The first position of a byte, at or after another one.
    @inline(__always)
    func firstIndex(of byte: Unicode.Scalar, from start: Int) -> Int? {
        firstIndex(of: UInt8(ascii: byte), in: start..<Swift.max(start, count))
    }

    /// The first position of a byte in a range, which must be inside.
    @inline(__always)
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let baseAddress, let found = memchr(baseAddress + range.lowerBound, Int32(byte), range.count) else {
            return nil
        }
        return baseAddress.distance(to: UnsafeRawPointer(found))
    }
}
