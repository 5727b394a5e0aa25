public import HttpConversation

/// Support for a server whose endpoints are known beforehand.
public struct ConfiguredOAuth2ServerSupport: OAuth2ServerSupport {
    public let name: String
    public let tokenOrigins: Set<Origin>
    public var authentication: OAuth2ClientAuthentication? { configuration.authentication }
    private let configuration: OAuth2Configuration

    /// - Parameters:
    ///   - name: part of the storage key; the client's id makes a good one
    ///   - tokenOrigins: where the tokens may go; of a URL its origin counts
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
