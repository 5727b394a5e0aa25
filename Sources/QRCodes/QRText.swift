/// A QR code for a terminal: two modules in each character, with the quiet zone that scanners need.
package enum QRText {
    private static let quietZone = 4

    /// Columns of the terminal.
    package static func width(of code: QRCode) -> Int { code.size + 2 * quietZone }

    /// - Parameter isColoured: whether black on white can be asked for; where not, light modules are drawn, as most
    ///   terminals have a dark background
    package static func lines(_ code: QRCode, isColoured: Bool) -> [String] {
        let range = -quietZone..<(code.size + quietZone)
        let isDark = { (x: Int, y: Int) in
            code.modules.indices.contains(y) && code.modules.indices.contains(x) && code.modules[y][x]
        }
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let text = range.map { x in
                character(isDark(x, y) == isColoured, isDark(x, y + 1) == isColoured)
            }.joined()
            return isColoured ? "\u{1B}[38;5;16;48;5;231m\(text)\u{1B}[0m" : text
        }
    }

    private static func character(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
