import Foundation
import HttpC
import HttpConversationNIO
import LandscapeSupport
import Testing

/// The destinations of tokens, over sockets, as the landscape recorded them.
@Suite("OAuth2: tokens on the wire", .landscape, .timeLimit(.minutes(1))) struct LandscapeTokenTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func manager(_ landscape: Landscape) throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "api", tokenOrigins: [try TargetURL(landscape.urlString()).origin],
                configuration: try OAuth2Configuration(
                    clientID: "native", tokenEndpoint: landscape.issuer() + "/token", scopes: ["read"],
                    grant: .password(UsernamePassword(username: "alice", password: "wonderland")))))
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        var transport = NIOTransport.Configuration()
        transport.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        return HttpConversationManager(
            transport: NIOTransport(configuration: transport), configuration: configuration)
    }

    /// Another port, another scheme, another name of the same machine: the request arrives without the token (S11).
    @Test(arguments: [LandscapeOrigin.other, .secure, .main]) func noOtherOriginGetsTheToken(origin: LandscapeOrigin)
        async throws
    {
        let manager = try Self.manager(landscape)
        #expect(try await manager.get(landscape.urlString(.main, "/api/first")).status == .ok)
        let sent = try #require(landscape.requests(path: "/api/first").last?.values(of: "authorization").first)
        #expect(sent.hasPrefix("Bearer "))
        var url = landscape.urlString(origin, "/api/second")
        if origin == .main { url = url.replacing("127.0.0.1", with: "localhost") }
        #expect(try await manager.get(url).status == .unauthorized)
        let arrived = landscape.requests(path: "/api/second")
        #expect(arrived.map(\.origin) == [origin])
        #expect(arrived.allSatisfy { $0.values(of: "authorization").isEmpty })
        let token = sent.dropFirst(7)
        #expect(!arrived.flatMap(\.fields).contains { $0.value.contains(token) })
    }

    /// There is no login and no storm: requests during the server's pause get the same error.
    @Test(arguments: [OAuthTokenFault.tooManyRequests, .unavailable])
    func aServerThatCannotRefreshNow(fault: OAuthTokenFault) async throws {
        let manager = try Self.manager(landscape)
        _ = try await manager.get(landscape.urlString(.main, "/api/first"))
        landscape.expireAccessTokens()
        landscape.failTokenRequests(fault, times: nil, grant: .refreshToken)
        for result in await manager.getAll((0..<20).map { landscape.urlString(.main, "/api/\($0)") }) {
            #expect { _ = try result.get() } throws: {
                (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .temporarilyUnavailable
            }
        }
        #expect(landscape.oauthCounters.tokenRequests == 2)
        #expect(landscape.oauthCounters.grants == ["password": 1])
    }
}
