import Foundation
import HttpC
import HttpConvTranscripts
import TestLandscape

/// Recorded logins at the landscape, without a user.
struct TranscriptBench {
    let landscape: Landscape
    let recorder = TranscriptRecorder()
    let manager: HttpConversationManager

    init(_ landscape: Landscape, _ login: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator()) throws
    {
        self.landscape = landscape
        var login = login
        login.multiplexer = UserInteractionMultiplexer()
        login.webStrategies = WebStrategies(
            default: TerminalWebStrategy(
                prompter: nil,
                answers: try FormAnswers(
                    ["user": .text("alice"), "username": .text("alice"), "password": .text("wonderland")],
                    origins: [landscape.urlString(), landscape.identityProvider()])))
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(login)
        configuration.observers.add(recorder)
        manager = HttpConversationManager(configuration: configuration)
    }

    var transcript: Transcript { recorder.transcript }

    @discardableResult
    func get(_ path: String, _ origin: LandscapeOrigin = .main) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, landscape.urlString(origin, path)))
    }

    /// Logins of several kinds, each with the path that requires it.
    enum Login: String, CaseIterable {
        case saml2 = "/saml/post-post/report"
        case oauth2 = "/api/orders"
        case digest = "/digest/all/x"

        func bench(_ landscape: Landscape) throws -> TranscriptBench {
            let server = landscape.urlString()
            return switch self {
            case .saml2:
                try TranscriptBench(
                    landscape, .saml2(finish: "/SAMLAuthLauncher", parameter: "finishEndpointParam", for: server))
            case .oauth2:
                try TranscriptBench(
                    landscape, .oauth2(issuer: landscape.urlString(.main, "/oauth2"), clientID: "native", for: server))
            case .digest: try TranscriptBench(landscape, .password("alice", "wonderland", for: server))
            }
        }
    }

    /// The secrets that the servers received: credentials, and the values of cookies.
    var secrets: [String] {
        let sent = landscape.requests().flatMap(\.fields)
        let logins = sent.filter { $0.name.lowercased() == "authorization" }.map(\.value)
        let credentials = logins.flatMap { login in
            login.hasPrefix("Digest")
                ? login.matches(of: /(?:response|cnonce)="([^"]+)"/).map { String($0.1) }
                : login.split(separator: " ").dropFirst().map(String.init)
        }
        let cookies = sent.filter { $0.name.lowercased() == "cookie" }.flatMap { field in
            field.value.split(separator: ";").compactMap {
                $0.split(separator: "=", maxSplits: 1).last.map(String.init)
            }
        }
        return ["wonderland"] + credentials + cookies.filter { $0.count > 8 }
    }
}
