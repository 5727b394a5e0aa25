import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvPlatform
import HttpConvSystem

extension LogonTable {
    private static let longestFile = 1 << 20

    /// The options of the file, completed with the server of the profile and the command line.
    ///
    /// - Parameter url: the URL of the command line, where the application registers
    func options(of profile: Profile, at url: TargetURL?) throws(CommandFailure) -> LogonOptions {
        var options = try optionsFile.map { path throws(CommandFailure) in try Self.read(path) } ?? LogonOptions()
        // A command needs no splash screen.
        options.usesSplashScreen = false
        // A command enrols none; the profile's certificate serves instead.
        if profile.certificate != nil { options.usesAfaria = false }
        if let farm { options.registration.farmID = farm }
        if let gatewayClient { options.registration.gatewayClient = gatewayClient }
        let isNamed = options.registration.serverHost.isEmpty
        if let place = url ?? server ?? (isNamed ? profile.match.first?.url : nil) { options.registration.use(place) }
        if !options.registration.serverHost.isEmpty {
            options.hiddenRegistrationFields.formUnion(RegistrationField.allCases)
            options.hiddenRegistrationFields.remove(.backendUserName)
        }
        if let basic = profile.basic { options.registration.backendUserName = basic.username }
        return options
    }

    /// The root of the server where the application registers; nil if it is still unknown.
    ///
    /// - Parameter url: the URL of the command line
    func server(of profile: Profile, at url: TargetURL?) throws(CommandFailure) -> TargetURL? {
        let place = try options(of: profile, at: url).registration
        return try? Origin(scheme: place.isHTTPS ? .https : .http, host: place.serverHost, port: place.port).targetURL()
    }

    /// Refuses to give the profile's password to a server over plain http on another machine, and to one that only the
    /// command line names and that is in no match of the profile (security rules S11, S13).
    ///
    /// - Parameter url: the URL of the command line
    func requirePlace(ofPasswordOf profile: Profile, at url: TargetURL?) throws(CommandFailure) {
        guard let source = profile.basic?.password else { return }
        if case .prompt = source { return }
        let table = "[profiles.\(profile.name).basic]"
        if let origin = try self.server(of: profile, at: url)?.origin, !origin.isSecure {
            throw CommandFailure(
                .usage,
                "The password of \(table) goes over https only, or to this machine, and the logon is at \(origin). Nothing was sent: name the server by https, or leave the password out of \(table), and you are asked for it."
            )
        }
        guard let url, !profile.match.contains(where: { $0.matches(url) }) else { return }
        let named = if let server { server } else { try self.server(of: Profile(name: profile.name), at: nil) }
        if let named, (try? ProfileMatch(named.absoluteString))?.matches(url) == true { return }
        throw CommandFailure(
            .usage,
            "The password of \(table) is for the servers that the profile names, and it does not name \(url). Nothing was sent: add it to the match, or leave the password out of \(table), and you are asked for it."
        )
    }

    /// The file names the server that gets the password: only its owner may be able to change it (security rule S22).
    private static func read(_ path: String) throws(CommandFailure) -> LogonOptions {
        let shown = TerminalText.sanitise(path)
        let unreadable = CommandFailure(.usage, "Cannot read the options of the logon, \(shown).")
        // A pipe is opened without a wait for its writer, and refused.
        let descriptor = SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw unreadable }
        try ConfigurationFile.requireTrusted(
            status, "The file of the logon's options, \(shown),", shown, "name a file of yours as options")
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: longestFile + 1) else { throw unreadable }
        do throws(LogonError) { return try LogonOptions(file: Data(bytes)) } catch {
            throw CommandFailure(.usage, "The options of the logon, \(shown), cannot be used: \(error.message)")
        }
    }
}

extension RegistrationDefaults {
    fileprivate mutating func use(_ server: TargetURL) {
        serverHost = server.origin.host
        isHTTPS = server.origin.scheme == .https
        serverPort = server.origin.port
        let path = server.path.split(separator: "/").joined(separator: "/")
        if !path.isEmpty { resourcePath = path }
    }
}
