public import HttpConversation

/// Support for a server whose endpoints are known beforehand.
public struct ConfiguredOAuth2ServerSupport: OAuth2ServerSupport {
    public let name: String
    public let tokenOrigins: Set<Origin>
    private let configuration: OAuth2Configuration

    /// - Parameter name: part of the storage key; the client's id makes a good one
    public init(name: String, tokenOrigins: Set<Origin>, configuration: OAuth2Configuration) {
        self.name = name
        self.tokenOrigins = tokenOrigins
        self.configuration = configuration
    }

    public func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }
}
