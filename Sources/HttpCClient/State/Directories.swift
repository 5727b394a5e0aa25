/// The places of configuration and state (XDG base directories).
package struct Directories {
    /// `config.toml`; nil without a home.
    let configurationFile: String?
    /// The directory above the profiles' state directories; nil without a home.
    package let state: String?

    package init(_ environment: [String: String]) {
        configurationFile = Self.base("XDG_CONFIG_HOME", "/.config", environment).map { $0 + "/httpc/config.toml" }
        state = Self.base("XDG_STATE_HOME", "/.local/state", environment).map { $0 + "/httpc" }
    }

    /// A relative path is ignored, as the standard demands.
    private static func base(_ variable: String, _ fallback: String, _ environment: [String: String]) -> String? {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + fallback
    }
}
