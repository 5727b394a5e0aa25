import Foundation

/// How much a terminal shows at once.
struct TerminalSize {
    let columns: Int
    let rows: Int

    /// Of a terminal; what it does not say counts as 80, and as any number of rows.
    ///
    /// - Parameter descriptor: standard error where left out
    static func current(of descriptor: Int32 = 2) -> TerminalSize {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return TerminalSize(
            columns: isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80,
            rows: isKnown && size.ws_row > 0 ? Int(size.ws_row) : .max)
    }
}
