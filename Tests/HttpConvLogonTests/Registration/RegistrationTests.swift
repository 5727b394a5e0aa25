import Foundation
import HTTPTypes
import HttpC
import HttpConvCertificates
import HttpConvLogon
import HttpConvVault
import HttpConversationTesting
import MobileServices
import TestLandscape
import Testing

/// From nothing to a protected resource, and again in the next process.
@Suite("Registration", .timeLimit(.minutes(1))) struct RegistrationTests {
    /// Unlocks the vault in a new process: the registration is unchanged, nobody is asked, and nothing is registered.
    private func expectAboardAgain(
        _ bench: LogonBench, login: CommonAuthenticationConfigurator, _ path: String, _ origin: LandscapeOrigin
    ) async throws {
        let registrations = bench.landscape.mobileCounters.registrations
        let logon = try bench.logon(login: login)
        #expect(await logon.state == .locked)
        #expect(await logon.registration == nil)
        try await logon.unlock(passcode: LogonBench.passcode)
        #expect(await logon.state == .unlocked)
        let answer = try await bench.backEnd(logon, path, origin)
        #expect(answer.user == "alice" && answer.isRegistered && answer.device == "device-1")
        #expect(answer.connection == bench.landscape.mobileConnections.first)
        #expect(bench.landscape.mobileCounters.registrations == registrations)
        try await logon.unregister()
        #expect(await logon.state == .nothing)
        #expect(bench.landscape.mobileConnections.isEmpty)
        #expect(try bench.logon().directory.path == bench.directory.path)
        #expect(!PasscodeVault.exists(at: bench.directory))
    }

    private func register(
        _ bench: LogonBench, _ input: RegistrationInput,
        login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator(), path: String,
        _ origin: LandscapeOrigin = .main, finds communicator: Communicator
    ) async throws -> Logon {
        let logon = try bench.logon(login: login)
        #expect(await logon.state == .nothing)
        let result = try await logon.register(input)
        #expect(await logon.state == .registered)
        #expect(result.communicator == communicator)
        #expect(result.passwordPolicy.requiresDigit && result.passwordPolicy.minimumUniqueCharacters == 4)
        #expect(await logon.registration == result)
        // Requests are possible already.
        #expect(try await bench.backEnd(logon, path, origin).user == "alice")
        try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
        #expect(await logon.state == .unlocked)
        let answer = try await bench.backEnd(logon, path, origin)
        #expect(answer.user == "alice" && answer.isRegistered)
        return logon
    }

    @Test(arguments: [
        ("mobile/basic", "/mobile/basic", Communicator.reverseProxy), ("", "", .mobileServer),
        ("relay", "/ias_relay_server/client/rs_client.dll/farm1", .relayServer),
    ]) func behindBasic(path: String, root: String, communicator: Communicator) async throws {
        try await withLogon { bench in
            var input = bench.input(path)
            if path == "relay" {
                input.values.resourcePath = ""
                input.values.farmID = "farm1"
            }
            let logon = try await register(bench, input, path: root, finds: communicator)
            #expect(bench.landscape.mobileConnections.count == 1)
            #expect(
                bench.landscape.mobileProperty("DeviceType", of: bench.landscape.mobileConnections[0])
                    == .text("iPhone"))
            try await logon.lock()
            try await expectAboardAgain(bench, login: CommonAuthenticationConfigurator(), root, .main)
        }
    }

    /// The identity provider's page, and a form for a code if a resource asks for one.
    @Test func behindSAML2AndOneTimeCodes() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            let secret =
                "JBSWY3DPEHPK3PXP" + String((0..<16).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ".randomElement() ?? "A" })
            landscape.addUser("alice", password: "wonderland", totpSecret: secret)
            let answers = try FormAnswers(
                [
                    "user": .text("alice"), "username": .text("alice"), "password": .text("wonderland"),
                    "j_username": .text("alice"), "j_password": .text("wonderland"), "domain": .text("corp"),
                    "passcode": .totp(try TOTPSecret(base32: secret)),
                ], origins: [landscape.urlString(), landscape.identityProvider()])
            var login = CommonAuthenticationConfigurator()
            login.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
            let input = bench.input("mobile/saml", user: nil)
            let logon = try await register(
                bench, input, login: login, path: "/mobile/saml", finds: .reverseProxy)
            #expect(landscape.samlCounters.logins == 1)
            // The login's end is below the path of the reverse proxy.
            try await landscape.waitFor(count: 1, path: "/mobile/saml/SAMLAuthLauncher")
            let resource = landscape.urlString(.main, "/otp/saml/page")
            #expect(try await bench.manager(logon.configurator).get(resource).text.contains("alice"))
            #expect(landscape.samlCounters.logins == 1)
            try await logon.lock()
            try await expectAboardAgain(bench, login: login, "/mobile/saml", .main)
        }
    }

    /// Tokens from before the vault existed are in it afterwards: a new process needs no login.
    @Test func behindOAuth2() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            let answers = try FormAnswers(
                ["username": .text("alice"), "password": .text("wonderland")], origins: [landscape.urlString()])
            var login = CommonAuthenticationConfigurator()
            login.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
            var input = bench.input("mobile/bearer", user: nil)
            input.authentication.types = ["oauth2"]
            input.authentication.oauth2ClientID = "native"
            input.authentication.oauth2AuthorizationEndpoint = "/oauth2/authorize"
            input.authentication.oauth2TokenEndpoint = "/oauth2/token"
            input.authentication.oauth2Scopes = "read"
            input.authentication.oauth2RedirectURI = "http://127.0.0.1:0/callback"
            let logon = try await register(
                bench, input, login: login, path: "/mobile/bearer", finds: .reverseProxy)
            #expect(landscape.oauthCounters.logins == 1)
            try await logon.lock()
            // The refresh token from the vault is used.
            landscape.expireAccessTokens()
            try await expectAboardAgain(bench, login: CommonAuthenticationConfigurator(), "/mobile/bearer", .main)
            #expect(landscape.oauthCounters.logins == 1)
            #expect(landscape.oauthCounters.refreshes == 1)
        }
    }

    @Test func behindACertificate() async throws {
        try await withLogon { bench in
            let made = try bench.landscape.certificates.client("alice")
            var input = bench.input("mobile/basic", at: .mutual)
            #expect(await logonCode { try await bench.logon().register(input) } == .couldNotDecideCommunicator)
            input.identity = try ClientIdentity.pem(certificates: Array((made.certificatePEM + made.keyPEM).utf8))
            let logon = try await register(bench, input, path: "/mobile/basic", .mutual, finds: .reverseProxy)
            try await logon.lock()
            try await expectAboardAgain(bench, login: CommonAuthenticationConfigurator(), "/mobile/basic", .mutual)
        }
    }

    /// A gateway has no registrations, and no policy for the passcode.
    @Test func atAGateway() async throws {
        try await withLogon { bench in
            var input = bench.input("", at: .other)
            input.values.passwordPolicy.minimumLength = 4
            let logon = try bench.logon()
            let result = try await logon.register(input)
            #expect(result.communicator == .gateway && result.settings == nil)
            #expect(result.passwordPolicy.minimumLength == 4)
            try await logon.makeVault(passcode: "abcd", repeated: "abcd")
            #expect(try await logon.refreshSettings() == nil)
            let next = try bench.logon()
            try await next.unlock(passcode: "abcd")
            try await next.logon()
            try await next.unregister()
            #expect(await next.state == .nothing)
            input.credentials = UsernamePassword(username: "alice", password: "wrong")
            #expect(await logonCode { try await next.register(input) } == .invalidBackendPassword)
        }
    }

    // MARK: Failures

    @Test func aPasswordThatIsWrong() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            let code = await logonCode { try await logon.register(bench.input(password: "wrong")) }
            #expect(code == .invalidBackendPassword)
            #expect(await logon.state == .nothing && bench.landscape.mobileConnections.isEmpty)
            #expect(!PasscodeVault.exists(at: bench.directory))
            // Nothing of the failed registration stays.
            try await logon.register(bench.input())
            #expect(try await bench.backEnd(logon).user == "alice")
            #expect(await logonCode { try await logon.register(bench.input()) } == .userAlreadyLoggedIn)
        }
    }

    @Test func valuesThatCannotBeUsed() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            func code(_ change: (inout RegistrationInput) -> Void) async -> LogonError.Code? {
                var input = bench.input()
                change(&input)
                return await logonCode { [input] in try await logon.register(input) }
            }
            #expect(await code { $0.values.serverHost = "" } == .invalidServerHost)
            #expect(await code { $0.values.serverHost = "http://127.0.0.1" } == .invalidServerHost)
            #expect(await code { $0.values.resourcePath = "../x" } == .invalidParameter)
            #expect(await code { $0.values.farmID = "a/b" } == .invalidParameter)
            #expect(await code { $0.values.gatewayClient = "x" } == .invalidParameter)
            #expect(await code { $0.values.passwordPolicy.retryLimit = 0 } == .invalidParameter)
            #expect(
                await code { $0.credentials = UsernamePassword(username: "a:b", password: "c") } == .invalidParameter)
            #expect(await code { $0.authentication.oauth2TokenEndpoint = "/token" } == .invalidParameter)
            #expect(await code { $0.authentication.types = ["oauth2"] } == .invalidParameter)
            #expect(await code { $0.authentication.answerOrigins = ["ftp://x"] } == .invalidParameter)
            #expect(await code { $0.properties[named: "a b"] = .null } == .invalidParameter)
            #expect(bench.landscape.mobileConnections.isEmpty)
            #expect(await logon.state == .nothing)
        }
    }

    @Test func nobodyIsThere() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            var input = bench.input()
            input.values.serverPort = bench.landscape.port(.raw)
            let error = await logonError { [input] in try await logon.register(input) }
            #expect(error?.code == .couldNotDecideCommunicator)
            #expect((error?.underlyingError as? NoCommunicator)?.reports.count == 3)
            // Without detection, the first request finds out.
            await logon.update { $0.usesFlowMode = false }
            let other = await logonError { [input] in try await logon.register(input) }
            #expect(other?.code == .communicationManagerError)
            #expect(other?.underlyingError is MobileServicesError)
        }
    }

    /// The server is told about an unused connection, if its id is known; nothing is kept.
    @Test(arguments: MobileFault.allCases) func answersThatAreBad(fault: MobileFault) async throws {
        try await withLogon { bench in
            bench.landscape.mobileRule.fault = fault
            let logon = try bench.logon()
            let error = await logonError { try await logon.register(bench.input()) }
            #expect(error?.code == .communicationManagerError, "\(String(describing: error))")
            #expect(error?.underlyingError is MobileServicesError)
            #expect(await logon.state == .nothing)
            #expect(!PasscodeVault.exists(at: bench.directory))
            if fault == .contradictoryPolicy { #expect(bench.landscape.mobileConnections.isEmpty) }
        }
    }

    /// The server cannot be told about a registration that failed halfway: the next person registers anew.
    @Test func theNextPersonGetsAnotherConnection() async throws {
        let transport = ScriptedTransport(
            capabilities: [.streamingRequests, .streamingResponses, .clientCertificates]
        ) { request, index in
            switch request.method {
            case .post:
                .init(
                    .created, [.contentType: "application/json"],
                    body: #"{"d":{"ApplicationConnectionId":"conn-\#(index)"}}"#)
            // No settings, and no failure this time.
            case .get where index == 4: .init(.notFound)
            default: .init(.serviceUnavailable)
            }
        }
        var options = LogonOptions()
        options.usesFlowMode = false
        let logon = Logon(
            application: LogonBench.applicationID, directory: URL(filePath: "/nowhere"), transport: transport,
            options: options)
        func input(_ user: String) -> RegistrationInput {
            var input = RegistrationInput(options)
            input.values.serverHost = "mobile.example.com"
            input.credentials = UsernamePassword(username: user, password: "wonderland")
            return input
        }
        #expect(await logonCode { try await logon.register(input("alice")) } == .communicationManagerError)
        try await logon.register(input("bob"))
        #expect(transport.requests.map(\.method) == [.post, .get, .delete, .post, .get])
        let name = try #require(HTTPField.Name("X-SMP-APPCID"))
        let sent = transport.requests.map { $0.headerFields[name] }
        #expect(sent == [nil, "conn-0", "conn-0", nil, "conn-3"])
    }

    @Test func cancelled() async throws {
        try await withLogon { bench in
            let gate = bench.landscape.holdMobileConnections()
            let logon = try bench.logon()
            var input = bench.input("")
            input.values.farmID = ""
            await logon.update { $0.usesFlowMode = false }
            async let code = logonCode { [input] in try await logon.register(input) }
            try await gate.waitForWaiters(1)
            #expect(await logon.running == .register)
            #expect(await logonCode { try await logon.unregister() } == .operationExecutionInProgress)
            await logon.cancel()
            #expect(await code == .operationCancelled)
            gate.release()
            #expect(await logon.state == .nothing)
            #expect(await logon.running == nil)
            // Without a running operation, cancelling does nothing.
            await logon.cancel()
        }
    }

    // MARK: The second step

    @Test func theVaultIsMadeByTheServersPolicy() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            let early = await logonCode { try await logon.makeVault(passcode: "a", repeated: "a") }
            #expect(early == .operationNotAllowed)
            try await logon.register(bench.input())
            #expect(try await logon.passwordPolicy().minimumUniqueCharacters == 4)
            let other = await logonCode {
                try await logon.makeVault(passcode: "Fr0schkoenig", repeated: "Fr0schkoenigin")
            }
            #expect(other == .passwordsNotEqual)
            for passcode in ["Froschkoenig", "a1", nil] {
                let error = await logonError { try await logon.makeVault(passcode: passcode, repeated: passcode) }
                #expect(error?.code == .invalidParameter && error?.underlyingError is PasscodeVaultError)
            }
            #expect(await logon.state == .registered)
            #expect(!PasscodeVault.exists(at: bench.directory))
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await logon.attemptsLeft() == 10)
            #expect(await logonCode { try await logon.register(bench.input()) } == .userAlreadyLoggedIn)
        }
    }

    /// Another process registers meanwhile: this one notices its vault, and leaves no second registration.
    @Test func anotherProcessIsFaster() async throws {
        try await withLogon { bench in
            let (late, slow) = (try bench.logon(), try bench.logon())
            try await slow.register(bench.input())
            let connection = try await bench.backEnd(bench.registered()).connection
            #expect(bench.landscape.mobileCounters.registrations == 2)
            #expect(await logonCode { try await late.register(bench.input()) } == .userAlreadyLoggedIn)
            #expect(await late.state == .locked)
            let manager = bench.manager(slow.configurator)
            let passcode = LogonBench.passcode
            let code = await logonCode { try await slow.makeVault(passcode: passcode, repeated: passcode) }
            #expect(code == .userAlreadyLoggedIn)
            #expect(await slow.state == .locked)
            #expect(bench.landscape.mobileCounters.registrations == 2)
            #expect(bench.landscape.mobileConnections == [connection])
            for logon in [late, slow] {
                try await logon.unlock(passcode: passcode)
                #expect(try await bench.backEnd(logon).connection == connection)
            }
            // It belongs to the registration that was given up.
            #expect(await logonCode { try await bench.backEnd(manager) } == .operationNotAllowed)
        }
    }

    /// A process that ended between registration and vault leaves nothing. A process that ended while making the vault
    /// leaves a vault without a registration.
    @Test func aVaultThatWasNeverFinished() async throws {
        try await withLogon { bench in
            try await bench.logon().register(bench.input())
            #expect(await (try bench.logon()).state == .nothing)
            var options = PasscodeVaultConfiguration()
            options.scrypt = try ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)
            _ = try await PasscodeVault.create(
                at: bench.directory, passcode: LogonBench.passcode, policy: PasswordPolicy(), configuration: options)
            let logon = try bench.logon()
            #expect(await logon.state == .locked)
            #expect(await logonCode { try await logon.unlock(passcode: LogonBench.passcode) } == .operationNotAllowed)
            #expect(await logon.state == .nothing)
            #expect(!PasscodeVault.exists(at: bench.directory))
            try await logon.register(bench.input())
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
        }
    }

    /// The vault's content is in no other file, and in no description.
    @Test func nothingLeaks() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let id = try #require(bench.landscape.mobileConnections.first)
            var seen = "\(bench.input()) \(logon.configurator) \(await logon.registration.map { "\($0)" } ?? "")"
            dump(logon.configurator, to: &seen)
            dump(bench.input(), to: &seen)
            for file in try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path) {
                let bytes = (try? Data(contentsOf: bench.directory.appending(path: file))) ?? Data()
                seen += String(decoding: bytes, as: UTF8.self)
            }
            for secret in ["wonderland", id, LogonBench.passcode] { #expect(!seen.contains(secret)) }
        }
    }
}
