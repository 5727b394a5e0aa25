import HttpCTerminal

extension Diagnostics {
    /// For work whose messages nobody wants.
    static var silent: Diagnostics {
        Diagnostics(isSilent: true, style: TerminalStyle(descriptor: 2), progress: nil)
    }
}
