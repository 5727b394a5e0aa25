import HttpConvSystem

/// The part of this process's environment that a browser may see.
enum BrowserEnvironment {
    /// Whether a window can be shown.
    static func hasDisplay(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// The variables that a desktop needs to show a browser, without others, such as one with a password (security rule
    /// S17).
    static func scrubbed(_ environment: [String: String]) -> [String: String] {
        ProgramEnvironment.scrubbed(environment, also: ["BROWSER"])
    }
}
