/// A QR code (ISO/IEC 18004) of a short text: byte mode, versions 1 to 10, that is up to 271 bytes.
package struct QRCode: Sendable {
    /// How much of a code may be unreadable.
    enum Correction: Sendable {
        /// About 7 %.
        case low
        /// About 15 %.
        case medium
    }

    /// Dark modules are true; rows from the top, without the quiet zone.
    package let modules: [[Bool]]
    /// Modules on each side.
    package var size: Int { modules.count }

    /// Encodes a text as UTF-8 in the smallest version, with the stronger correction where that costs no larger one.
    ///
    /// - Returns: nil where it is too long
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let low = QRVersion.smallest(for: bytes.count, .low) else { return nil }
        let medium = QRVersion(number: low.number, correction: .medium)
        self.init(bytes, medium.capacity >= bytes.count ? medium : low)
    }

    /// - Parameter version: large enough for the bytes
    init(_ bytes: [UInt8], _ version: QRVersion) {
        let codewords = QRCodewords.make(bytes, version)
        let candidates = QRMask.all.map { QRMatrix(version, codewords, mask: $0) }
        modules = candidates.min { QRPenalty.of($0.modules) < QRPenalty.of($1.modules) }?.modules ?? []
    }
}
