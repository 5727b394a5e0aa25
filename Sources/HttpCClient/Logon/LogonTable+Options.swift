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

    private static func read(_ path: String) throws(CommandFailure) -> LogonOptions {
        let shown = TerminalText.sanitise(path)
        guard InputFile.isRegular(path), let bytes = SystemCalls.read(file: path, atMost: longestFile + 1) else {
            throw CommandFailure(.usage, "Cannot read the options of the logon, \(shown).")
        }
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
