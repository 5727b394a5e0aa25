public import Foundation
public import HttpConvAuthFlows
public import HttpConversation
import Synchronization

/// A scripted web login in place of a user with a browser.
public final class ScriptedOAuth2WebStrategy: OAuth2WebStrategy {
    private let script: @Sendable (OAuth2AuthorizationRequest, URL) async throws -> String
    private let state = Mutex<[URL]>([])

    /// - Parameter script: gets the URL that a browser would open, and returns the URL that the server redirects the
    ///   user back to
    public init(_ script: @escaping @Sendable (OAuth2AuthorizationRequest, URL) async throws -> String) {
        self.script = script
    }

    /// A server that accepts every login. It returns the redirect URI with this code, the request's state and further
    /// parameters.
    public convenience init(code: String, adding extra: String = "") {
        self.init { request, url in
            "\(request.redirectURI.text)?code=\(code)&state=\(Self.parameter("state", of: url))\(extra)"
        }
    }

    /// The URLs that were opened so far.
    public var opened: [URL] { state.withLock { $0 } }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let url = try await request.url()
        state.withLock { $0.append(url) }
        return OAuth2AuthorizationAnswer(url: try await script(request, url), redirectURI: request.redirectURI)
    }

    /// The value of a query parameter, still encoded; empty if it is missing.
    public static func parameter(_ name: String, of url: URL) -> String {
        let query = url.absoluteString.split(separator: "?", maxSplits: 1).last ?? ""
        let pair = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
        return pair.map { String($0.dropFirst(name.count + 1)) } ?? ""
    }
}
