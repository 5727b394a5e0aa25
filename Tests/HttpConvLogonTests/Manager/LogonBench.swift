import Foundation
import HTTPTypes
import HttpC
import HttpConvConcurrency
import HttpConvLogon
import HttpConvVault
import HttpConversationNIO
import HttpConversationTesting
import MobileServices
import TestLandscape
import TestSupport
import Testing

/// A landscape, a place for a vault, and logons that use them.
struct LogonBench {
    static let applicationID = "com.example.app"
    static let passcode = "Fr0schkoenig"
    let landscape: Landscape
    let transport: NIOTransport
    let directory: URL

    /// A person's input; the server is the mobile server at a path, or at the root.
    func input(
        _ path: String = "mobile/basic", at origin: LandscapeOrigin = .main, user: String? = "alice",
        password: String = "wonderland"
    ) -> RegistrationInput {
        var input = RegistrationInput()
        input.values.serverHost = "127.0.0.1"
        input.values.serverPort = landscape.port(origin)
        input.values.isHTTPS = origin.scheme == "https"
        input.values.resourcePath = path
        input.credentials = user.map { UsernamePassword(username: $0, password: password) }
        input.properties[.deviceType] = "iPhone"
        return input
    }

    /// A logon as a process creates it at its start.
    func logon(
        options: LogonOptions = LogonOptions(),
        login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
        clock: any WallClock = SystemClock(), enrolment: (any CertificateEnrolment)? = nil,
        biometricKeys: (any BiometricKeys)? = nil, failPoint: (@Sendable (PasscodeFailPoint) -> Void)? = nil
    ) throws -> Logon {
        var vault = PasscodeVaultConfiguration()
        vault.failPoint = failPoint
        vault.biometricKeys = biometricKeys
        vault.clock = clock
        vault.scrypt = try ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)
        return Logon(
            application: Self.applicationID, directory: directory, transport: transport, options: options, login: login,
            configuration: configuration, deviceID: "device-1", enrolment: enrolment, vault: vault)
    }

    /// A registered logon with its vault.
    func registered(
        _ input: RegistrationInput? = nil, login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(),
        clock: any WallClock = SystemClock()
    ) async throws -> Logon {
        let logon = try logon(login: login, clock: clock)
        try await logon.register(input ?? self.input())
        try await logon.makeVault(passcode: Self.passcode, repeated: Self.passcode)
        return logon
    }

    var configuration: HttpConversationManager.Configuration {
        var configuration = HttpConversationManager.Configuration()
        configuration.multiplexer = UserInteractionMultiplexer()
        return configuration
    }

    func manager(_ configurator: LogonConfigurator) -> HttpConversationManager {
        var configuration = configuration
        configuration.apply(configurator)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// The back end's view of a request.
    struct BackEnd: Decodable, Equatable {
        var user: String
        var application: String
        var connection: String?
        var device: String?
        var isRegistered: Bool
    }

    func backEnd(
        _ logon: Logon, _ path: String = "/mobile/basic", _ origin: LandscapeOrigin = .main
    ) async throws -> BackEnd { try await backEnd(manager(logon.configurator), path, origin) }

    func backEnd(
        _ manager: HttpConversationManager, _ path: String = "/mobile/basic", _ origin: LandscapeOrigin = .main
    ) async throws -> BackEnd {
        try await manager.get(
            landscape.urlString(origin, "\(path)/\(Self.applicationID)/orders"), as: BackEnd.self)
    }
}

func withLogon(_ body: (LogonBench) async throws -> Void) async throws {
    try await withLandscape { landscape in
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        let transport = NIOTransport(configuration: configuration)
        let directory = TemporaryPlace.unused("logon")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await transport.whileRunning {
            try await body(LogonBench(landscape: landscape, transport: transport, directory: directory))
        }
    }
}

/// The error of an operation; nil if it succeeds.
func logonError<Result>(_ body: () async throws -> Result) async -> LogonError? {
    do {
        _ = try await body()
        return nil
    } catch { return error as? LogonError ?? (error as? ConversationError)?.underlyingError as? LogonError }
}

/// The code of an operation's error.
func logonCode<Result>(_ body: () async throws -> Result) async -> LogonError.Code? { await logonError(body)?.code }
