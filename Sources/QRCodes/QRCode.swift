/// A QR code (ISO/IEC 18004) of a short text: byte mode, versions 1 to 10, up to 271 bytes.
package struct QRCode: Sendable {
    /// The share of a code that may be unreadable.
    enum Correction: Sendable {
        /// About 7 %.
        case low
        /// About 15 %.
        case medium
    }

    /// The modules in rows from the top, without the quiet zone. Dark modules are true.
    package let modules: [[Bool]]
    /// The number of modules on each side.
    package var size: Int { modules.count }

    /// Encodes a text as UTF-8 in the smallest version. It uses the stronger correction if that needs no larger
    /// version.
    ///
    /// - Returns: nil if the text is too long
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let low = QRVersion.smallest(for: bytes.count, .low) else { return nil }
        let medium = QRVersion(number: low.number, correction: .medium)
        self.init(bytes, medium.capacity >= bytes.count ? medium : low)
    }

    /// - Parameter version: a version that is large enough for the bytes
    init(_ bytes: [UInt8], _ version: QRVersion) {
        let codewords = QRCodewords.make(bytes, version)
        let candidates = QRMask.all.map { QRMatrix(version, codewords, mask: $0) }
        modules = candidates.min { QRPenalty.of($0.modules) < QRPenalty.of($1.modules) }?.modules ?? []
    }
}
