import Foundation

/// Colours on a terminal, unless NO_COLOR forbids them.
struct TerminalStyle: Sendable {
    let isColoured: Bool

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// The style for an output descriptor.
    init(descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isWanted = environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
        isColoured = isWanted && isatty(descriptor) != 0
    }

    enum Colour: String {
        case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", blue = "34", cyan = "36"
    }

    func paint(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
