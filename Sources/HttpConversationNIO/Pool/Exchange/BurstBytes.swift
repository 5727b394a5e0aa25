import NIOCore

/// The bytes of a response's body that one burst of reads brings, in one array, so that they are copied once.
struct BurstBytes {
    private var bytes: [UInt8] = []
    /// The number of bytes of the burst before.
    private var lastCount = 0

    var isEmpty: Bool { bytes.isEmpty }

    /// Appends to an array that has room for as much as the burst before, if that is likely to come again.
    mutating func append(_ buffer: ByteBuffer) {
        let count = buffer.readableBytes
        if isEmpty { bytes.reserveCapacity(max(count, min(lastCount, 32 * count))) }
        bytes += buffer.readableBytesView
    }

    /// The bytes of the burst, which ends.
    mutating func take() -> [UInt8] {
        lastCount = bytes.count
        defer { bytes = [] }
        return bytes
    }
}
