import Foundation
import HttpConvLogon
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import MobileServices
import TestLandscape
import TestSupport
import Testing

/// Servers that are slow, lie or break off, and networks with a captive portal.
@Suite("Detection of what goes wrong", .timeLimit(.minutes(1))) struct DetectionFaultTests {
    private static let application = "com.example.app"

    /// The head decides; the body is neither checked nor read.
    private static let fitting: Set<MobileFrontFault> = [.endlessBody, .cutBody]

    private static func withDetection(
        of front: MobileFront, _ fault: MobileFrontFault?,
        _ body: (Landscape, CommunicatorDetection) async throws -> Void
    ) async throws {
        try await withLandscape { landscape in
            let transport = NIOTransport()
            landscape.mobileRule.fronts[front] = fault
            let detection = CommunicatorDetection(
                HttpConversationManager(transport: transport), options(front, landscape), applicationID: application)
            try await transport.whileRunning { try await body(landscape, detection) }
        }
    }

    private static func options(_ front: MobileFront, _ landscape: Landscape) -> LogonOptions {
        var options = LogonOptions()
        options.registration.serverHost = "127.0.0.1"
        options.registration.serverPort = landscape.port(front == .gateway ? .other : .main)
        options.registration.isHTTPS = false
        switch front {
        case .relay: options.registration.farmID = "farm1"
        case .proxy: options.registration.resourcePath = "reverse"
        case .server: break
        case .gateway: options.registration.isGatewayOnly = true
        }
        return options
    }

    private static let found: [MobileFront: Communicator] = [
        .relay: .relayServer, .proxy: .reverseProxy, .server: .mobileServer, .gateway: .gateway,
    ]

    private static func outcome(of detection: CommunicatorDetection) async -> (found: Communicator?, error: LogonError?)
    {
        do throws(LogonError) { return (try await detection.detect().communicator, nil) } catch { return (nil, error) }
    }

    /// A faulty probe is skipped, and the next server is found, if there is one.
    @Test(arguments: MobileFront.allCases, MobileFrontFault.allCases)
    func failuresAreTyped(front: MobileFront, fault: MobileFrontFault) async throws {
        try await Self.withDetection(of: front, fault) { landscape, detection in
            var detection = detection
            if fault == .slow { detection.probeTimeout = .seconds(8) }
            let outcome = await Self.outcome(of: detection)
            let fits = Self.fitting.contains(fault) || (fault == .saysBoth && front != .gateway)
            if fits {
                #expect(outcome.found == Self.found[front])
            } else if front == .relay || front == .proxy {
                #expect(outcome.found == .mobileServer)
            } else {
                #expect(outcome.error?.code == .couldNotDecideCommunicator)
                let reports = (outcome.error?.underlyingError as? NoCommunicator)?.reports ?? []
                #expect(reports.map(\.communicator) == (front == .gateway ? [.gateway] : [.gateway, .mobileServer]))
                #expect(reports.last?.status == Self.statuses[fault])
            }
            // The redirect to the portal was not followed.
            #expect(landscape.count(path: "/portal/login") == 0)
        }
    }

    /// The expected status; missing for faults without an answer.
    private static let statuses: [MobileFrontFault: Int] = [
        .portalPage: 200, .portalRequired: 511, .portalRedirect: 302, .lies: 200, .saysBoth: 200, .fails: 503,
    ]

    @Test(arguments: MobileFront.allCases) func everyKindOfServerIsDetected(front: MobileFront) async throws {
        try await Self.withDetection(of: front, nil) { _, detection in
            let outcome = await Self.outcome(of: detection)
            #expect(outcome.found == Self.found[front])
        }
    }

    /// A server that pretends to be a mobile server fails at the next request.
    @Test(arguments: [MobileFrontFault.saysBoth, .endlessBody, .cutBody]) func pretendersFailAtTheNextRequest(
        fault: MobileFrontFault
    )
        async throws
    {
        try await Self.withDetection(of: .relay, fault) { landscape, detection in
            let root = try await detection.detect().root
            let client = RegistrationClient(
                detection.manager, try MobileApplication(at: root, id: Self.application))
            let error = await #expect(throws: MobileServicesError.self) { try await client.register() }
            let expected: [MobileFrontFault: MobileServicesError.Code] = [
                .saysBoth: .malformedAnswer, .endlessBody: .tooLarge, .cutBody: .conversationFailed,
            ]
            #expect(error?.code == expected[fault])
            #expect(client.connectionID == nil)
            #expect(landscape.mobileConnections.isEmpty)
        }
    }

    /// Runs in a separate process, with the landscape in it, and measures memory above the baseline, for each
    /// fault.
    @Test func inLittleMemory() async throws {
        await #expect(processExitsWith: .success) {
            func detect(_ front: MobileFront, _ fault: MobileFrontFault?) async throws {
                try await DetectionFaultTests.withDetection(of: front, fault) { _, detection in
                    _ = await DetectionFaultTests.outcome(of: detection)
                }
            }
            for front in MobileFront.allCases { try await detect(front, nil) }
            // Reset the peak (`man 5 proc`).
            try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
            let rest = try #require(try ProcessMemory.kilobytes("VmRSS"))
            for fault in [MobileFrontFault.endlessBody, .endlessHead, .cut, .cutBody] {
                for front in MobileFront.allCases { try await detect(front, fault) }
            }
            let over = try #require(try ProcessMemory.kilobytes("VmHWM")) - rest
            #expect(over < 32 << 10, "\(over) kB over rest")
        }
    }
}
