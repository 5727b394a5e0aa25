public import HttpConversation

/// Support for a server whose endpoints are known in advance.
public struct ConfiguredOAuth2ServerSupport: OAuth2ServerSupport {
    public let name: String
    public let tokenOrigins: Set<Origin>
    public var authentication: OAuth2ClientAuthentication? { configuration.authentication }
    public var requiresBoundTokens: Bool { configuration.usesDPoP }
    let configuration: OAuth2Configuration

    /// - Parameters:
    ///   - name: part of the storage key; such as the client's id
    ///   - tokenOrigins: the servers that may get the tokens; of a URL only the origin counts
    ///   - configuration: the server's endpoints, and the client
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``
    public init(
        name: String, tokenOrigins: [any TargetURLConvertible], configuration: OAuth2Configuration
    ) throws(OAuth2Error) {
        self.name = name
        self.tokenOrigins = try SecureEndpoint.origins(tokenOrigins)
        self.configuration = configuration
    }

    public func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }
}
