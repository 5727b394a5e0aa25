extension Data {
    /// The first place of some bytes; nil if they do not occur, or there are none.
    package func place(of bytes: Data) -> Range<Index>? {
        let offset = withUnsafeBytes { all in bytes.withUnsafeBytes { all.offset(of: $0) } }
        return offset.map { (startIndex + $0)..<(startIndex + $0 + bytes.count) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func offset(of part: UnsafeRawBufferPointer) -> Int? {
        guard let base = baseAddress, let wanted = part.baseAddress, let first = part.first else { return nil }
        var offset = 0
        while offset + part.count <= count {
            guard let found = memchr(base + offset, Int32(first), count - part.count + 1 - offset) else { return nil }
            offset = base.distance(to: UnsafeRawPointer(found))
            if memcmp(base + offset, wanted, part.count) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
