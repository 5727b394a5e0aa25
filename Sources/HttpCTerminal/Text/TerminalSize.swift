import HttpConvPlatform

/// A terminal's size in columns and rows.
package struct TerminalSize {
    package let columns: Int
    package let rows: Int

    /// The terminal's size; defaults to 80 columns and unlimited rows.
    ///
    /// - Parameter descriptor: the terminal; defaults to standard error
    package static func current(of descriptor: Int32 = 2) -> TerminalSize {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return TerminalSize(
            columns: isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80,
            rows: isKnown && size.ws_row > 0 ? Int(size.ws_row) : .max)
    }
}
