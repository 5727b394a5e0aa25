import Testing

@testable import TestLandscape

@Suite struct ChecksumTests {
    @Test(arguments: [0, 1, 2, 3, 255, 65_537])
    func checksumOfZerosIsThatOfBytes(count: Int) {
        var (one, other) = (CRC32(), CRC32())
        one.update([1, 2, 3])
        other.update([1, 2, 3])
        one.update(repeatElement(0, count: count))
        other.updateZeros(count: count)
        #expect(one.value == other.value)
    }

    // The check value of the CRC catalogue, and the checksum of an empty text (RFC 1950).
    @Test func matchesPublishedValues() {
        var crc = CRC32()
        crc.update(Array("123456789".utf8))
        #expect(crc.value == 0xCBF4_3926)
        var adler = Adler32()
        #expect(adler.value == 1)
        adler.update(Array("Wikipedia".utf8))
        #expect(adler.value == 0x11E6_0398)
    }
}
