import HTTPTypes
import HttpConvAuthFlows
import HttpConvLogon
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import MobileServices
import TestLandscape
import Testing

/// The rows of the documentation's table, at the landscape.
@Suite("Detection", .timeLimit(.minutes(1))) struct DetectionTests {
    private static let application = "com.example.app"
    private static let ping = "/sap/bc/ping"
    private static let relay = "/ias_relay_server/client/rs_client.dll/"
    private static let connections = "/odata/applications/latest/com.example.app/Connections"

    private func withDetection(
        _ origin: LandscapeOrigin = .main, _ change: (inout LogonOptions) -> Void = { _ in },
        _ body: (Landscape, CommunicatorDetection) async throws -> Void
    ) async throws {
        try await withLandscape { landscape in
            let transport = NIOTransport()
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
            let manager = HttpConversationManager(transport: transport, configurator)
            var options = LogonOptions()
            options.registration.serverHost = "127.0.0.1"
            options.registration.serverPort = landscape.port(origin)
            options.registration.isHTTPS = false
            change(&options)
            let detection = CommunicatorDetection(manager, options, applicationID: Self.application)
            try await transport.whileRunning { try await body(landscape, detection) }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let origin: LandscapeOrigin
        let found: Communicator
        /// The root's path, and the probed paths.
        let root: String
        let asked: [String]
        let change: Change

        init(
            _ name: String, _ origin: LandscapeOrigin, _ found: Communicator, _ root: String, _ asked: [String],
            _ change: @escaping Change = { _ in }
        ) {
            testDescription = name
            (self.origin, self.found, self.root, self.asked, self.change) = (origin, found, root, asked, change)
        }
    }

    @Test(arguments: [
        Row("gateway only", .other, .gateway, "/", [ping]) { $0.isGatewayOnly = true },
        Row("neither, a gateway", .other, .gateway, "/", [ping]),
        Row("another ping path", .other, .gateway, "/", ["/sap/bc/x"]) { $0.gatewayPingPath = "/sap/bc/x/" },
        Row("neither, a mobile server", .main, .mobileServer, "/", [ping, connections]),
        Row("farm", .main, .relayServer, relay + "farm1/", [relay + "farm1" + connections]) { $0.farmID = "farm1" },
        Row("farm that is unknown", .main, .mobileServer, "/", [relay + "farm2" + connections, connections]) {
            $0.farmID = "farm2"
        },
        Row("farm, a gateway", .other, .gateway, "/", [relay + "farm2" + connections, connections, ping]) {
            $0.farmID = "farm2"
        },
        Row("path", .main, .reverseProxy, "/mobile/basic/", [ping, "/mobile/basic" + connections]) {
            $0.resourcePath = "/mobile/basic/"
        },
        Row("path that is unknown", .main, .mobileServer, "/", [ping, "/elsewhere" + connections, connections]) {
            $0.resourcePath = "elsewhere"
        },
        Row(
            "farm and path", .main, .reverseProxy, "/mobile/basic/",
            [relay + "farm2" + connections, "/mobile/basic" + connections]
        ) {
            $0.farmID = "farm2"
            $0.resourcePath = "mobile/basic"
        },
    ]) func whoIsThere(row: Row) async throws {
        try await withDetection(row.origin, { row.change(&$0.registration) }) { landscape, detection in
            let found = try await detection.detect()
            #expect(found.communicator == row.found)
            #expect(found.root.absoluteString == landscape.urlString(row.origin, row.root))
            let requests = landscape.requests()
            #expect(requests.map(\.path) == row.asked)
            // The probes carry no login.
            #expect(requests.allSatisfy { $0.values(of: "Authorization").isEmpty && $0.values(of: "Cookie").isEmpty })
            guard row.found != .gateway else { return }
            let client = RegistrationClient(
                detection.manager, try MobileApplication(at: found.root, id: Self.application))
            #expect(try await client.register().properties[.userName] == "alice")
        }
    }

    @Test(arguments: [
        Row("gateway only", .main, .gateway, "/", []) { $0.isGatewayOnly = true },
        Row("farm", .main, .relayServer, relay + "f/", []) { $0.farmID = "f" },
        Row("path", .main, .reverseProxy, "/a/b/", []) { $0.resourcePath = "a/b" },
        Row("neither", .main, .mobileServer, "/", []),
    ]) func withoutFlowModeNobodyIsAsked(row: Row) async throws {
        try await withDetection(
            row.origin,
            {
                $0.usesFlowMode = false
                row.change(&$0.registration)
            }
        ) { landscape, detection in
            let found = try await detection.detect()
            #expect(found.communicator == row.found)
            #expect(found.root.absoluteString == landscape.urlString(row.origin, row.root))
            #expect(landscape.requests().isEmpty)
        }
    }

    /// A mobile server is not a gateway, and a server that answers too late counts as absent.
    @Test(arguments: [true, false]) func nothingFits(isSlow: Bool) async throws {
        try await withDetection(.main, { $0.registration.isGatewayOnly = !isSlow }) { landscape, detection in
            var detection = detection
            if isSlow { detection.probeTimeout = .seconds(8) }
            let gate = isSlow ? landscape.hold(Self.connections) : nil
            defer { gate?.release() }
            let error = await Self.outcome(of: detection).error
            #expect(error?.code == .couldNotDecideCommunicator)
            let reports = (error?.underlyingError as? NoCommunicator)?.reports ?? []
            #expect(reports.map(\.communicator) == (isSlow ? [.gateway, .mobileServer] : [.gateway]))
            #expect(reports.map(\.status) == (isSlow ? [404, nil] : [404]))
            #expect(error?.message.contains(isSlow ? "timedOut" : "404") == true)
            #expect(error?.message.contains("127.0.0.1") == true)
        }
    }

    @Test func cancelled() async throws {
        try await withDetection { landscape, detection in
            let gate = landscape.hold(Self.ping)
            let task = Task { await Self.outcome(of: detection).error?.code }
            try await gate.waitForWaiters(1)
            task.cancel()
            #expect(await task.value == .operationCancelled)
        }
    }

    // MARK: Answers

    private static func detect(
        gatewayOnly: Bool, _ answer: @escaping @Sendable (TransportRequest) -> ScriptedTransport.Answer
    ) async -> (found: Communicator?, code: LogonError.Code?) {
        var options = LogonOptions()
        options.registration.serverHost = "m.example.com"
        options.registration.isGatewayOnly = gatewayOnly
        let manager = HttpConversationManager(transport: ScriptedTransport { request, _ in answer(request) })
        let outcome = await outcome(of: CommunicatorDetection(manager, options, applicationID: application))
        return (outcome.found, outcome.error?.code)
    }

    @Test(arguments: [
        (200, "X-SMP-Something", "1", Communicator.mobileServer), (401, "Set-Cookie", "X-SMP-SESSID=1", .mobileServer),
        (403, "set-cookie", "x-sup-appcid=1; Path=/", .mobileServer),
        (302, "x-smp-authentication", "otp-challenge", .mobileServer),
        (200, "com.sap.cloud.security.login", "login-request", .mobileServer), (200, "sap-server", "true", .gateway),
        (404, "Set-Cookie", "SAP_SESSIONID_ABC_100=1", .gateway),
        (401, "Set-Cookie", "sap-usercontext=sap-client=100", .gateway),
        (200, "Set-Cookie", "MYSAPSSO2=1", .gateway),
        (401, "WWW-Authenticate", "Basic realm=\"SAP NetWeaver Application Server [X/1]\"", .gateway),
    ]) func whatFits(status: Int, name: String, value: String, expected: Communicator) async throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: value)
        let found = await Self.detect(gatewayOnly: false) { _ in
            .init(HTTPResponse.Status(code: status), HTTPFields([field]))
        }
        #expect(found.found == expected)
        if expected == .mobileServer {
            let only = await Self.detect(gatewayOnly: true) { _ in
                .init(HTTPResponse.Status(code: status), HTTPFields([field]))
            }
            #expect(only.code == .couldNotDecideCommunicator)
        }
    }

    /// A captive portal, another login page, a failing server, no server.
    @Test(
        arguments: [
            .init(.ok, [.contentType: "text/html"], body: "<html>X-SMP-SESSID sap-server</html>"),
            .init(.found, [.location: "https://portal.example.com/"]),
            .init(.found, [.location: "https://sap-server.example.com/x-smp-"]),
            .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"X-SMP- SAP NetWeaver\""]), .init(.notFound),
            .init(.serviceUnavailable, [.setCookie: "X-SMP-SESSID=1"]), .init(.ok, [.setCookie: "other=X-SMP-SESSID"]),
            .failure(ConversationError(.connectionFailed, "Nobody.")),
            .failure(ConversationError(.certificateNotTrusted, "No.")),
        ] as [ScriptedTransport.Answer]) func whatDoesNot(answer: ScriptedTransport.Answer) async
    {
        let found = await Self.detect(gatewayOnly: false) { _ in answer }
        #expect(found.code == .couldNotDecideCommunicator)
    }

    /// Nothing is sent with invalid input.
    @Test(arguments: [
        Mistake(.invalidServerHost) { $0.serverHost = "" }, Mistake(.invalidServerHost) { $0.serverHost = "a b" },
        Mistake(.invalidServerHost) { $0.serverHost = "https://m.example.com" },
        Mistake(.invalidServerHost) { $0.serverHost = "m.example.com/x" },
        Mistake(.invalidServerHost) { $0.serverHost = "u@m.example.com" },
        Mistake(.invalidParameter) { $0.farmID = "a/b" }, Mistake(.invalidParameter) { $0.farmID = ".." },
        Mistake(.invalidParameter) { $0.gatewayClient = "1&x=y" },
        Mistake(.invalidParameter) { $0.resourcePath = "a/../../b" },
        Mistake(.invalidParameter) { $0.resourcePath = "a\r\nb" },
        Mistake(.invalidParameter) { $0.gatewayPingPath = "../x" },
    ]) func whatCannotBeUsed(mistake: Mistake) async {
        var options = LogonOptions()
        options.registration.serverHost = "m.example.com"
        mistake.change(&options.registration)
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let detection = CommunicatorDetection(
            HttpConversationManager(transport: transport), options, applicationID: Self.application)
        #expect(await Self.outcome(of: detection).error?.code == mistake.expected)
        #expect(transport.requests.isEmpty)
    }

    struct Mistake: Sendable {
        let expected: LogonError.Code
        let change: Change

        init(_ expected: LogonError.Code, _ change: @escaping Change) {
            (self.expected, self.change) = (expected, change)
        }
    }

    typealias Change = @Sendable (inout RegistrationDefaults) -> Void

    private static func outcome(of detection: CommunicatorDetection) async -> (found: Communicator?, error: LogonError?)
    {
        do throws(LogonError) { return (try await detection.detect().communicator, nil) } catch { return (nil, error) }
    }
}
