/// A QR code for a terminal, with the quiet zone that scanners need. A character shows two modules. Without Unicode,
/// two characters of ASCII show one module.
package struct QRText {
    private static let quietZone = 4

    private let code: QRCode
    private let isColoured: Bool
    private let isUnicode: Bool

    /// - Parameters:
    ///   - isColoured: whether the terminal can show black on white; if not, the light modules are drawn, because most
    ///     terminals have a dark background
    ///   - isUnicode: whether the terminal has more than ASCII
    package init(_ code: QRCode, isColoured: Bool, isUnicode: Bool = true) {
        self.code = code
        self.isColoured = isColoured
        self.isUnicode = isUnicode
    }

    private var size: Int { code.size + 2 * Self.quietZone }
    /// The columns that it takes.
    package var width: Int { isUnicode ? size : 2 * size }
    /// The rows that it takes.
    package var height: Int { isUnicode ? (size + 1) / 2 : size }

    package var lines: [String] {
        let range = -Self.quietZone..<(code.size + Self.quietZone)
        guard isUnicode else {
            return range.map { y in range.map { cell($0, y) }.joined() + (isColoured ? Self.end : "") }
        }
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let text = range.map { x in character(isDark(x, y) == isColoured, isDark(x, y + 1) == isColoured) }.joined()
            return isColoured ? "\u{1B}[38;5;16;48;5;231m\(text)\(Self.end)" : text
        }
    }

    private static let end = "\u{1B}[0m"

    private func isDark(_ x: Int, _ y: Int) -> Bool {
        code.modules.indices.contains(y) && code.modules.indices.contains(x) && code.modules[y][x]
    }

    /// A module in ASCII: spaces with one of eight background colours, or `##` for light without colours.
    private func cell(_ x: Int, _ y: Int) -> String {
        isColoured ? "\u{1B}[\(isDark(x, y) ? 40 : 47)m  " : isDark(x, y) ? "  " : "##"
    }

    private func character(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
