package import HttpC
import HttpConvPlatform

/// The issuers that a server names for its access tokens (RFC 9728). They are shown to the person and never used
/// (security rule S33).
package enum BearerAdvice {
    private static let limit = 64 << 10
    private static let timeout = Duration.seconds(10)

    /// One line about the challenge of a 401; nil if it names no metadata and no issuer.
    ///
    /// - Parameter manager: its network is used, without the person's cookies and logins
    package static func line(
        _ head: HTTPResponse, at target: TargetURL, using manager: HttpConversationManager
    ) async -> String? {
        guard let login = LoginRecognition.recognize(challenge: head, at: target) else { return nil }
        let advice = "Use it as issuer of a profile with OAuth2 only if you trust it with your login."
        guard let metadata = login.metadata else {
            return login.provider.map { "The challenge names the issuer \($0). \(advice)" }
        }
        let issuers = await issuers(at: metadata, for: target, using: manager)
        guard !issuers.isEmpty else {
            return "The challenge names metadata at \(metadata.origin), but no issuer is in it."
        }
        return "The metadata of \(target.origin) names the issuer \(issuers.joined(separator: ", ")). \(advice)"
    }

    private struct Document: Decodable {
        let resource: String
        let servers: [String]

        enum CodingKeys: String, CodingKey {
            case resource
            case servers = "authorization_servers"
        }
    }

    /// Reads the metadata, at the resource's own origin only and for that resource only (RFC 9728 §3.3).
    private static func issuers(
        at metadata: TargetURL, for target: TargetURL, using manager: HttpConversationManager
    ) async -> [String] {
        guard metadata.origin == target.origin, metadata.origin.isSecure else {
            return []
        }
        var configuration = manager.configuration.withoutPerson()
        configuration.redirects.follows = false
        configuration.maximumBodyBytes = limit
        configuration.networkTimeout = timeout
        let asker = HttpConversationManager(transport: manager.transport, configuration: configuration)
        guard let answer = try? await asker.data(for: HTTPRequest(.get, metadata)), answer.status == .ok,
            let document = try? JSONDecoder().decode(Document.self, from: answer.data),
            let resource = try? TargetURL(document.resource), resource.origin == target.origin
        else { return [] }
        return document.servers.prefix(3).map { TerminalText.sanitise($0, limit: 200) }
    }
}
