import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import NIOPosix

/// - Parameter certificate: of the server of HTTP/2; nil: HTTP/1.1
private func pooled(_ connections: Int, _ certificate: String? = nil) -> NIOTransport {
    var configuration = NIOTransport.Configuration()
    configuration.maximumConnectionsPerOrigin = connections
    if let certificate { configuration.tls.trustRoots = .file(URL(filePath: certificate)) }
    return NIOTransport(configuration: configuration)
}

/// The transport alone, for profiles.
struct TransportClient: Client {
    private let transport: NIOTransport
    private let target: TargetURL

    init(port: Int, connections: Int, certificate: String? = nil) throws {
        transport = pooled(connections, certificate)
        target = try TargetURL("\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)/json")
    }

    func fetch(_ task: Int) async throws -> Int {
        let response = try await transport.send(
            TransportRequest(target: target, method: .get, headerFields: [:], body: nil, options: TransportOptions()))
        return try await response.body.collect(upTo: 1 << 20).count
    }
}

/// The conversation loop over the NIO transport.
struct OurClient: Client {
    private let manager: HttpConversationManager
    private let request: HTTPRequest
    /// The threads of connections, for tasks that run there.
    private let loops: [LoopExecutor]

    /// - Parameter isOnLoops: whether each task runs on the thread of a connection
    init(
        port: Int, connections: Int, scenario: Scenario, certificate: String? = nil, isOnLoops: Bool = false
    ) async throws {
        loops = isOnLoops ? MultiThreadedEventLoopGroup.singleton.makeIterator().map { LoopExecutor($0) } : []
        var configuration = HttpConversationManager.Configuration()
        if scenario == .saml2 { configuration.apply(try EveryTarget.configurator()) }
        if scenario == .configured { configuration.apply(CommonAuthenticationConfigurator()) }
        if scenario == .auth {
            var login = CommonAuthenticationConfigurator()
            login.add(StaticCredentialProvider(username: "alice", password: "secret"))
            configuration.apply(login)
            configuration.observers.add(CountingObserver())
        }
        manager = HttpConversationManager(
            transport: pooled(connections, certificate), configuration: configuration)
        let path = scenario == .auth ? "basic/json" : "json"
        let scheme = certificate == nil ? "http" : "https"
        request = try HTTPRequest(.get, "\(scheme)://127.0.0.1:\(port)/\(path)")
        // The cookie, and the challenge that teaches the session its credential, come before the clock runs.
        if scenario == .auth {
            _ = try await manager.data(for: HTTPRequest(.get, "http://127.0.0.1:\(port)/cookie"))
            _ = try await manager.data(for: request)
        }
    }

    func fetch(_ task: Int) async throws -> Int {
        try await manager.data(for: request).bytes.count
    }

    func executor(_ task: Int) -> (any TaskExecutor)? { loops.isEmpty ? nil : loops[task % loops.count] }
}

/// SAML2 for every target.
private struct EveryTarget: SAML2ConfigProvider {
    let config: SAML2Config

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? { config }

    static func configurator() throws -> CommonAuthenticationConfigurator {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(
            saml2: EveryTarget(
                config: try SAML2Config(
                    identifyingHeader: "com.sap.cloud.security.login",
                    finishEndpoint: TargetURL("http://127.0.0.1/SAMLAuthLauncher"), finishParameter: "finish")))
        return configurator
    }
}

/// An observer that does next to nothing.
private final class CountingObserver: ConversationObserver {
    func observe(_ event: ConversationEvent) {}
}
