import HttpConvPlatform

/// The part of this process's environment that another program may see, and the programs on its `PATH`.
package enum ProgramEnvironment {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
        "DESKTOP_SESSION", "TMPDIR",
    ]
    private static let prefixes = ["XDG_", "DBUS_", "LC_", "KDE_", "GNOME_"]

    /// The variables of a session and its desktop, without others, such as one with a password.
    ///
    /// - Parameter more: further names, for one kind of program
    package static func scrubbed(_ environment: [String: String], also more: Set<String>) -> [String: String] {
        environment.filter { name, _ in
            names.contains(name) || more.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }

    /// The program of a name: a path, or a name that is looked for in the directories of a `PATH`. Relative directories
    /// are ignored, so that a file in the working directory is never started.
    ///
    /// - Returns: nil if there is none
    package static func program(_ name: String, path: String) -> String? {
        let candidates =
            name.contains("/")
            ? [name] : path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return candidates.first { candidate in
            !SystemCalls.isDirectory(candidate) && FileManager.default.isExecutableFile(atPath: candidate)
        }
    }
}
