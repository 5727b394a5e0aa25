import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// The configuration: its profiles, ordered by name.
package struct ConfigurationFile: Sendable {
    package let profiles: [Profile]
    /// The file's path, for messages.
    package let shownPath: String
    /// The file of `--config`; nil for the usual one.
    private let option: String?
    private let byName: [String: Profile]
    /// The profiles with a match at an origin: a run with many URLs looks for the profile of each.
    private let byOrigin: [Origin: [Profile]]

    /// - Parameter shownPath: the file's path, for messages
    package init(profiles: [Profile] = [], shownPath: String = "the configuration", option: String? = nil) {
        self.profiles = profiles
        self.shownPath = shownPath
        self.option = option
        byName = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
        var byOrigin: [Origin: [Profile]] = [:]
        for profile in profiles {
            for origin in Set(profile.match.map(\.origin)) { byOrigin[origin, default: []].append(profile) }
        }
        self.byOrigin = byOrigin
    }

    /// The command line that writes a profile into the file, for messages.
    ///
    /// - Parameter url: the URL to log in to, as a shell reads it
    package func initialise(_ url: String = "URL") -> String { ProfileCommand.initialise(url, in: option) }

    /// The profile of a name.
    package func profile(named name: String) -> Profile? { byName[name] }

    /// The profiles that have a match at an origin, ordered by name.
    func profiles(at origin: Origin) -> [Profile] { byOrigin[origin] ?? [] }

    /// Reads the file of `--config`, else the usual file, which need not exist.
    package static func load(_ option: String?) throws(CommandFailure) -> ConfigurationFile {
        let environment = ProcessInfo.processInfo.environment
        guard let path = option ?? Directories(environment).configurationFile else { return ConfigurationFile() }
        guard let (text, parser) = try open(path, environment, mayBeMissing: option == nil) else {
            return ConfigurationFile(shownPath: TerminalText.sanitise(path))
        }
        let file = ConfigurationFile(profiles: try parser.parse(text), shownPath: parser.shownPath)
        return option.map { file.named(by: $0) } ?? file
    }

    /// The same with profiles that know the option `--config`.
    private func named(by option: String) -> ConfigurationFile {
        let profiles = profiles.map { profile in
            var profile = profile
            profile.configuration = option
            return profile
        }
        return ConfigurationFile(profiles: profiles, shownPath: shownPath, option: option)
    }

    /// All profiles, the names of those that cannot be read as a whole, and all mistakes. Nil if there is no file.
    static func readAll(
        _ path: String, _ environment: [String: String], mayBeMissing: Bool
    ) throws(CommandFailure) -> (profiles: [Profile], incomplete: Set<String>, mistakes: [String])? {
        try open(path, environment, mayBeMissing: mayBeMissing).map { $1.parseAll($0) }
    }

    /// The largest configuration, in bytes.
    static let maximumBytes = 1 << 20

    /// Refuses a file that decides where passwords go, if another user can change it (security rules S13, S22).
    ///
    /// - Parameters:
    ///   - what: the file with its path, for messages
    ///   - shown: the path alone
    ///   - remedy: what to do about a file of another user's
    static func requireTrusted(
        _ status: stat, _ what: String, _ shown: String, _ remedy: String,
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        guard status.st_mode & S_IFMT == S_IFCHR || TrustedUsers.all(environment).contains(status.st_uid) else {
            throw CommandFailure(
                .usage,
                "\(what) is not used: it belongs to another user, who can change where passwords go. Make it yours (chown), or \(remedy)."
            )
        }
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o002 == 0 else {
            throw CommandFailure(
                .usage,
                "\(what) is not used: all users of this machine can change it, and with it where passwords go. Run: chmod go-w \(ShellWords.word(shown, limit: 1000))"
            )
        }
    }

    /// Only a file that is not there counts as missing: without the profiles of one that cannot be reached, requests
    /// would go out without their proxy and authorities.
    private static func open(
        _ path: String, _ environment: [String: String], mayBeMissing: Bool
    ) throws(CommandFailure) -> (text: String, parser: ProfileParser)? {
        let shown = TerminalText.sanitise(path)
        let descriptor = SystemCalls.open(path, O_RDONLY)
        guard descriptor >= 0 else {
            let code = errno
            let isMissing = SystemCalls.isMissing(path, code)
            if mayBeMissing, isMissing { return nil }
            let reason = code == ENOENT && !isMissing ? "a link leads nowhere" : Posix.reason(code)
            let advice = code == EACCES && mayBeMissing ? " Is HOME that of another user?" : ""
            throw CommandFailure(.usage, "Cannot read the configuration \(shown): \(reason).\(advice)")
        }
        defer { close(descriptor) }
        var status = stat()
        func unreadable() -> CommandFailure {
            CommandFailure(.usage, "Cannot read the configuration \(shown): \(Posix.reason(errno)).")
        }
        guard fstat(descriptor, &status) == 0 else { throw unreadable() }
        try requireTrusted(
            status, "The configuration \(shown)", shown, "name a file of yours with --config", environment)
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: maximumBytes + 1) else { throw unreadable() }
        guard bytes.count <= maximumBytes else {
            throw CommandFailure(.usage, "The configuration \(shown) is larger than \(maximumBytes) bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.usage, "The configuration \(shown) is not UTF-8.")
        }
        let parser = ProfileParser(
            shownPath: shown, directory: URL(exactPath: path).deletingLastPathComponent().path(percentEncoded: false),
            home: environment["HOME"], isPrivate: status.st_mode & 0o077 == 0,
            isOwn: status.st_mode & 0o022 == 0 && [geteuid(), 0].contains(status.st_uid))
        return (text, parser)
    }
}
