import HttpConvPlatform

/// Colours on a terminal, unless NO_COLOR forbids them.
package struct TerminalStyle: Sendable {
    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// The style for an output descriptor.
    package init(descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        let isWanted = environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
        isColoured = isWanted && isatty(descriptor) != 0
    }

    package enum Colour: String {
        case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", blue = "34", cyan = "36"
    }

    package func paint(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
