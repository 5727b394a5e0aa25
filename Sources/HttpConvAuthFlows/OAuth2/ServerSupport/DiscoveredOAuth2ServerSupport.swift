import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
public import HttpConversation
import Synchronization

/// Support for any server whose issuer publishes its endpoints (RFC 8414, OpenID Connect Discovery): an issuer URL and
/// a client id suffice.
public final class DiscoveredOAuth2ServerSupport: OAuth2ServerSupport {
    public let name: String
    public let tokenOrigins: Set<Origin>
    private let issuer: String
    private let issuerURL: TargetURL
    private let clientID: String
    public var authentication: OAuth2ClientAuthentication? { clientAuthentication }
    private let clientAuthentication: OAuth2ClientAuthentication
    private let scopes: [String]
    private let resources: [String]
    private let parameters: [String: String]
    private let usesDPoP: Bool
    public var requiresBoundTokens: Bool { usesDPoP }
    let grant: DiscoveredGrant
    private let clock: any WallClock
    /// The known configuration, and the uptime at which the metadata are read again.
    private let found = Mutex<(configuration: OAuth2Configuration, until: Duration)?>(nil)
    private static let freshness = Duration.seconds(3600)
    /// The time after which metadata that could not be read again are tried once more.
    private static let retryPause = Duration.seconds(60)

    /// - Parameters:
    ///   - issuer: the issuer exactly as the metadata names it (security rule S12)
    ///   - clientID: the client's id at the server
    ///   - tokenOrigins: the servers that may get the tokens; of a URL only the origin counts
    ///   - authentication: how the client authenticates
    ///   - scopes: the scopes to request; empty: the server's default
    ///   - resources: the resources that the tokens are for (RFC 8707)
    ///   - grant: the grant for the first tokens
    ///   - parameters: further parameters of token requests, and of the request for a login on another device
    ///   - usesDPoP: whether tokens are bound to a key (RFC 9449); unbound tokens are refused
    ///   - name: part of the storage key; defaults to issuer and client id
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``, ``OAuth2Error/Code/insecureEndpoint``
    public convenience init(
        issuer: some TargetURLConvertible, clientID: String, tokenOrigins: [any TargetURLConvertible],
        authentication: OAuth2ClientAuthentication = .none, scopes: [String] = [], resources: [String] = [],
        grant: DiscoveredGrant = .authorizationCode(), parameters: [String: String] = [:], usesDPoP: Bool = false,
        name: String? = nil
    ) throws(OAuth2Error) {
        try self.init(
            issuer: issuer, clientID: clientID, tokenOrigins: tokenOrigins, authentication: authentication,
            scopes: scopes, resources: resources, grant: grant, parameters: parameters, usesDPoP: usesDPoP, name: name,
            clock: SystemClock())
    }

    init(
        issuer: some TargetURLConvertible, clientID: String, tokenOrigins: [any TargetURLConvertible],
        authentication: OAuth2ClientAuthentication,
        scopes: [String], resources: [String] = [], grant: DiscoveredGrant, parameters: [String: String] = [:],
        usesDPoP: Bool = false, name: String?, clock: any WallClock
    ) throws(OAuth2Error) {
        issuerURL = try SecureEndpoint.parse(issuer, "issuer")
        try OAuth2Configuration.check(clientID: clientID)
        try OAuth2Configuration.check(scopes: scopes)
        try OAuth2Configuration.check(resources: resources)
        try OAuth2Configuration.check(
            parameters: parameters, without: OAuth2Configuration.parametersOfTokenRequests)
        try OAuth2Configuration.check(authentication, isClientAlone: grant.isClientAlone)
        try grant.check()
        let issuer = issuer.urlText
        self.issuer = issuer
        self.clientID = clientID
        self.tokenOrigins = try SecureEndpoint.origins(tokenOrigins)
        clientAuthentication = authentication
        self.scopes = scopes
        self.resources = resources
        self.parameters = parameters
        self.usesDPoP = usesDPoP
        self.grant = grant
        self.name = name ?? "\(issuer) \(clientID)"
        self.clock = clock
    }

    /// Accepts a Bearer or DPoP challenge. If the challenge names metadata (RFC 9728), that must name the configured
    /// issuer.
    public func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        guard challenge.isBearerChallenge else { return false }
        guard let named = challenge.parameter("resource_metadata") else { return true }
        return try await isConfirmed(by: named, challenge)
    }

    public func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
        let now = clock.uptime
        let known = found.withLock { $0 }
        if let known, now < known.until { return known.configuration }
        do {
            let configuration = try configuration(by: await discover(challenge))
            found.withLock { $0 = (configuration, now + Self.freshness) }
            return configuration
        } catch let error as OAuth2Error where error.code != .issuerMismatch {
            // The endpoints that the issuer has named before are still its own.
            guard let known else { throw error }
            // A server that hangs has taken its time: the pause begins now.
            found.withLock { $0 = (known.configuration, clock.uptime + Self.retryPause) }
            challenge.context.logger.notice(
                "an issuer's metadata could not be read again: the known ones are used",
                metadata: ["issuer": "\(issuerURL)", "code": "\(error.code)"])
            return known.configuration
        }
    }

    private func configuration(by metadata: ServerMetadata) throws(OAuth2Error) -> OAuth2Configuration {
        let metadata = clientAuthentication.usesCertificate ? try metadata.forCertificates() : metadata
        return try OAuth2Configuration(
            clientID: clientID, authentication: clientAuthentication, tokenEndpoint: metadata.tokenEndpoint,
            revocationEndpoint: metadata.revocationEndpoint, endSessionEndpoint: metadata.endSessionEndpoint,
            keysEndpoint: metadata.keysEndpoint, issuer: issuer, scopes: scopes, resources: resources,
            grant: grant.grant(by: metadata), parameters: parameters, bindsTokens: metadata.bindsTokens,
            usesDPoP: usesDPoP)
    }

    /// Reads both metadata documents if necessary: the second may have endpoints that the first lacks, also those for
    /// clients with a certificate, which no document has to name.
    private func discover(_ challenge: OAuth2Challenge) async throws -> ServerMetadata {
        var found: ServerMetadata?
        var failure: (any Error)?
        for place in try ServerMetadata.places(of: issuerURL, prefersOpenID: scopes.contains("openid"))
        where found?.isComplete(for: grant) != true || clientAuthentication.usesCertificate {
            do {
                let metadata = try ServerMetadata(await challenge.document(place), issuer: issuer, at: place)
                found = found?.filled(by: metadata) ?? metadata
            } catch let error as OAuth2Error {
                // Stops at a failing server. A server without metadata at this place may have it at the other one.
                guard found != nil || error.code == .discoveryFailed else { throw error }
                failure = failure ?? error
            }
        }
        if let found { return found }
        throw failure ?? OAuth2Error(.discoveryFailed, "The issuer \(issuerURL) publishes no metadata.")
    }

    /// Asks only the resource's own origin, and rejects only a clear "another issuer": nothing else is taken from it.
    private func isConfirmed(by named: String, _ challenge: OAuth2Challenge) async throws -> Bool {
        guard let place = try? TargetURL(named), place.origin == challenge.target.origin else { return true }
        let bytes: [UInt8]
        do { bytes = try await challenge.document(place) } catch is OAuth2Error { return true }
        guard let issuers = JSONValue.object(bytes)?["authorization_servers"]?.texts else { return true }
        // Some servers write their issuer both with and without a slash at the end. The login uses the configured
        // issuer in any case.
        if issuers.contains(where: { Self.withoutSlash($0) == Self.withoutSlash(issuer) }) { return true }
        challenge.context.logger.warning(
            "a server asks for an access token of another issuer than the configured one",
            metadata: [
                "origin": "\(challenge.target.origin)", "issuer": "\(issuerURL)",
                "named": "\(TerminalText.sanitise(issuers.joined(separator: " ")))",
            ])
        return false
    }

    private static func withoutSlash(_ issuer: String) -> Substring {
        issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...]
    }
}
