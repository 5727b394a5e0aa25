/// What a profile may be called: its name is also a directory's.
enum ProfileName {
    static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-_.".utf8.contains(byte)
    }
}
