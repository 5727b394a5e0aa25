/// CRC-32 as in gzip (RFC 1952, section 8).
struct CRC32: Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private var state: UInt32 = .max

    var value: UInt32 { ~state }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
        }
    }

    /// Has the effect of `update` with that many zeros, in logarithmic time: a zero byte is a linear map of the state.
    mutating func updateZeros(count: Int) {
        var map = (0..<32).map { Self.afterZero(UInt32(1) << UInt32($0)) }
        var left = count
        while left > 0 {
            if left & 1 == 1 { state = Self.apply(map, to: state) }
            map = map.map { Self.apply(map, to: $0) }
            left >>= 1
        }
    }

    private static func afterZero(_ state: UInt32) -> UInt32 {
        table[Int(UInt8(truncatingIfNeeded: state))] ^ (state >> 8)
    }

    /// The map of a sum is the sum of the maps of its bits.
    private static func apply(_ map: [UInt32], to state: UInt32) -> UInt32 {
        (0..<32).reduce(UInt32(0)) { state >> UInt32($1) & 1 == 1 ? $0 ^ map[$1] : $0 }
    }
}

/// Adler-32 as in zlib (RFC 1950, section 8).
struct Adler32: Sendable {
    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var value: UInt32 { high << 16 | low }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
    }
}
