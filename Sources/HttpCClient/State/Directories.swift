import HttpC
package import HttpCTerminal
import HttpConvPlatform

/// The places of configuration and state (XDG base directories).
package struct Directories {
    /// `config.toml`; nil without a home.
    let configurationFile: String?
    /// The directory above the profiles' state directories; nil without a home.
    package let state: String?
    /// The paths of both that are in the home because no variable says otherwise.
    private let inHome: Set<String>

    package init(_ environment: [String: String]) {
        let configuration = Self.base("XDG_CONFIG_HOME", "/.config", environment)
        let state = Self.base("XDG_STATE_HOME", "/.local/state", environment)
        configurationFile = configuration.map { $0.path + "/httpc/config.toml" }
        self.state = state.map { $0.path + "/httpc" }
        inHome = Set(
            [
                configuration?.isInHome == true ? configurationFile : nil, state?.isInHome == true ? self.state : nil,
            ].compactMap { $0 })
    }

    /// A relative path is ignored, as the standard demands. So is a HOME that is not a directory: accounts without a
    /// home often have `/dev/null`.
    private static func base(
        _ variable: String, _ fallback: String, _ environment: [String: String]
    ) -> (path: String, isInHome: Bool)? {
        if let path = environment[variable], path.hasPrefix("/") { return (path, false) }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        var status = stat()
        if stat(home, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return nil }
        return (home + fallback, true)
    }

    /// Refuses to create one of the two, and the directories above it, if root would do it in another user's home:
    /// `sudo` may leave HOME as it is, and its owner could not use what root creates.
    package func requireOwnHome(for path: String) throws(CommandFailure) {
        guard geteuid() == 0, inHome.contains(path) else { return }
        var (status, place) = (stat(), path)
        while stat(place, &status) != 0 {
            guard place.count > 1, !place.parentPath.isEmpty else { return }
            place = place.parentPath
        }
        guard status.st_uid != 0 else { return }
        throw CommandFailure(
            .outputFailed,
            "HOME belongs to another user, who could not use what root creates in \(TerminalText.sanitise(place)): use "
                + "sudo -H, or set XDG_CONFIG_HOME and XDG_STATE_HOME.")
    }
}
