import Foundation
import HttpC
import HttpConversationNIO
import TestLandscape
import Testing

@testable import HttpConvAuthFlows

/// A manager with the common filters at a landscape's CSRF services.
struct CSRFBench {
    let landscape: Landscape
    let manager: HttpConversationManager

    /// - Parameter services: roots on the main origin that are configured
    init(_ landscape: Landscape, services: [String] = [], session: HttpSession = HttpSession()) throws {
        var configurator = CommonAuthenticationConfigurator(session: session)
        for service in services { configurator.add(csrf: try CSRFService(root: landscape.urlString(.main, service))) }
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        self.landscape = landscape
        manager = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
    }

    var cache: CSRFTokenCache { manager.configuration.session.flowState { CSRFTokenCache() } }

    /// Returns once a number of conversations wait for the service's token.
    func waitForFetch(_ waiters: Int, of root: String) async throws {
        await manager.configuration.session.steps.waitForWaiters(waiters, of: CSRFFilter.key(try self.root(root)))
    }

    func root(_ path: String) throws -> TargetURL { try TargetURL(landscape.urlString(.main, path)) }

    func send(
        _ method: HTTPRequest.Method, _ path: String, on origin: LandscapeOrigin = .main, token: String? = nil,
        body: RequestBody? = nil
    ) async throws -> ConversationResponse {
        var request = try HTTPRequest(method, landscape.urlString(origin, path))
        if let token { request.headerFields[.csrfToken] = token }
        return try await manager.data(for: request, body: body)
    }

    /// Sends a POST of `index` bytes; returns the length that the service received.
    func post(_ path: String, _ index: Int) async throws -> Int? {
        struct Answer: Decodable { let length: Int }
        let response = try await send(.post, path, body: .text(String(repeating: "x", count: index)))
        return response.status == .ok ? try JSONDecoder().decode(Answer.self, from: response.data).length : nil
    }

    /// Sends POSTs of 0, 1, 2, … bytes to a service in parallel; returns the received lengths in order.
    func postAll(_ count: Int, to service: String) async throws -> [Int?] {
        try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
            for index in 0..<count {
                group.addTask { (index, try await post("\(service)\(index)", index)) }
            }
            var lengths: [Int: Int?] = [:]
            for try await (index, length) in group { lengths[index] = length }
            return (0..<count).map { lengths[$0] ?? nil }
        }
    }

    /// Method and path of the received requests, with the token's presence.
    func arrived(_ origin: LandscapeOrigin = .main) -> [String] {
        landscape.requests(origin: origin).map { request in
            let token = request.values(of: "X-CSRF-Token").first
            let kind = token.map { $0.lowercased() == "fetch" ? " fetch" : " token" } ?? ""
            return "\(request.method) \(request.path)\(kind)"
        }
    }

    /// The received tokens.
    func tokens(_ origin: LandscapeOrigin = .main) -> Set<String> {
        Set(landscape.requests(origin: origin).flatMap { $0.values(of: "X-CSRF-Token") }.filter { $0 != "Fetch" })
    }
}
