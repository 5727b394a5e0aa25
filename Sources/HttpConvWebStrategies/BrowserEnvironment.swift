/// The part of this process's environment that a browser may see.
enum BrowserEnvironment {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
        "DESKTOP_SESSION", "BROWSER", "TMPDIR",
    ]
    private static let prefixes = ["XDG_", "DBUS_", "LC_", "KDE_", "GNOME_"]

    /// Whether a window can be shown.
    static func hasDisplay(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// The variables that a desktop needs to show a browser, without others, such as one with a password (security rule
    /// S17).
    static func scrubbed(_ environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in names.contains(name) || prefixes.contains { name.hasPrefix($0) } }
    }
}
