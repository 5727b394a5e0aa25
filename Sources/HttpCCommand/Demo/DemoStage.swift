import Foundation
import HttpC
import Landscape

/// What scenes play with: the landscape, a transport that trusts it, and people who know passwords.
struct DemoStage: Sendable {
    let landscape: Landscape
    let transport: NIOTransport

    init(landscape: Landscape) {
        self.landscape = landscape
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        transport = NIOTransport(configuration: configuration)
    }

    /// A manager with a session of its own.
    func manager(_ timeline: DemoTimeline, _ provider: DemoProvider? = nil) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        if let provider { configurator.add(provider) }
        configuration.apply(configurator)
        configuration.observers.add(timeline)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    func request(
        _ origin: LandscapeOrigin, _ path: String, method: HTTPRequest.Method = .get, fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        try HTTPRequest(method, landscape.urlString(origin, path), fields: fields)
    }

    /// A member of a JSON answer, as text.
    static func member(_ name: String, of response: ConversationResponse) throws(DemoProblem) -> String {
        let object = try? JSONSerialization.jsonObject(with: response.data) as? [String: Any]
        guard let value = object?[name] else {
            throw DemoProblem("the answer \(response.status.code) has no \(name)")
        }
        return "\(value)"
    }
}
