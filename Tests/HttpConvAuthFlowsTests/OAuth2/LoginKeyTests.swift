import Crypto
import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The issuer's keys of a login by OpenID Connect: what happens while they cannot be had.
@Suite("OAuth2: keys of a login", .timeLimit(.minutes(1))) struct LoginKeyTests {
    /// The answers to requests for the keys, in order; the last one is repeated.
    private enum Answer { case down, mine, others }

    /// A login at a server that signs its ID token.
    private struct Login {
        let bench: OAuth2Bench
        let manager: HttpConversationManager
        let clock = TestClock(sleepsAdvance: true)
        /// The number of requests for keys.
        let asked = Box(0)

        init(_ answers: [Answer], isNamed: Bool = true) throws {
            let grant = try OAuth2Bench.code()
            let web = ScriptedOAuth2WebStrategy(code: "c")
            bench = try OAuth2Bench(
                support: ConfiguredOAuth2ServerSupport(
                    name: OAuth2Bench.name, tokenOrigins: ["https://api.example.com"],
                    configuration: OAuth2Configuration(
                        clientID: "native", tokenEndpoint: "https://auth.example.com/token",
                        revocationEndpoint: "https://auth.example.com/revoke",
                        keysEndpoint: "https://auth.example.com/keys", scopes: ["openid"], grant: grant)), web: web)
            let key = P256.Signing.PrivateKey()
            bench.server.update { $0.validAccess = ["t"] }
            bench.server.override { _ in
                let nonce = web.opened.last.map { ScriptedOAuth2WebStrategy.parameter("nonce", of: $0) } ?? ""
                let token = (try? Self.token(nonce, isNamed ? ",\"kid\":\"a\"" : "", key)) ?? ""
                return TokenServer.json(#"{"access_token":"t","refresh_token":"r","id_token":"\#(token)"}"#)
            }
            let (server, asked, published) = (bench.transport, self.asked, Self.jwk(key))
            let transport = ScriptedTransport { request, _ throws(ConversationError) in
                guard request.target.path == "/keys" else {
                    let response = try await server.send(request)
                    let body = try await response.body.collect(upTo: 1 << 20)
                    return .init(
                        response.head.status, response.head.headerFields, body: String(decoding: body, as: UTF8.self))
                }
                defer { asked.update { $0 += 1 } }
                switch answers[min(asked.value, answers.count - 1)] {
                case .down: return .init(.serviceUnavailable)
                case .mine: return .init(.ok, body: "{\"keys\":[\(published)]}")
                case .others: return .init(.ok, body: "{\"keys\":[\(published.replacing("\"a\"", with: "\"b\""))]}")
                }
            }
            manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
            manager.update { [clock] in
                $0.clock = clock
                $0.interactionTimeout = nil
            }
        }

        private static func token(_ nonce: String, _ kid: String, _ key: P256.Signing.PrivateKey) throws -> String {
            let claims = #"{"aud":"native","sub":"alice","exp":4102444800,"nonce":"\#(nonce)"}"#
            let input = ["{\"alg\":\"ES256\"\(kid)}", claims].map { Base64URL.text(Array($0.utf8)) }
                .joined(separator: ".")
            return "\(input).\(Base64URL.text(try key.signature(for: Array(input.utf8)).rawRepresentation))"
        }

        private static func jwk(_ key: P256.Signing.PrivateKey) -> String {
            let point = Array(key.publicKey.rawRepresentation)
            return """
                {"kty":"EC","crv":"P-256","x":"\(Base64URL.text(point[..<32]))",\
                "y":"\(Base64URL.text(point[32...]))","alg":"ES256","kid":"a"}
                """
        }

        func failure() async -> OAuth2Error? {
            await thrown(ConversationError.self) { try await manager.get(TokenServer.api) }?.underlyingError
                as? OAuth2Error
        }

        var revoked: [String?] { bench.server.now.forms.map { $0["token"] }.filter { $0 != nil } }
    }

    @Test func keysThatAreKnownBeforeAreEnough() async throws {
        let login = try Login([.mine, .down])
        #expect(try await login.manager.get(TokenServer.api).text == "item for t")
        #expect(login.asked.value == 1)
        #expect(login.revoked.isEmpty)
    }

    @Test func nobodyLogsInWhileKeysCannotBeHad() async throws {
        let login = try Login([.down])
        #expect(await login.failure()?.code == .temporarilyUnavailable)
        #expect(login.bench.web.opened.isEmpty)
        #expect(login.bench.server.now.forms.isEmpty)
    }

    /// After the exchange the tokens are kept if the keys come soon.
    @Test(arguments: [true, false]) func aMomentsFailureCostsNoLogin(isNamed: Bool) async throws {
        let login = try Login(isNamed ? [.others, .down, .mine] : [.mine, .down, .mine], isNamed: isNamed)
        #expect(try await login.manager.get(TokenServer.api).text == "item for t")
        #expect(login.asked.value == 3)
        #expect(login.clock.slept.contains(.seconds(1)))
        #expect(login.bench.web.opened.count == 1)
        #expect(try await login.bench.stored()?.accessToken.value == "t")
        #expect(login.revoked.isEmpty)
    }

    /// Tokens that nobody will use end at the server, too.
    @Test(arguments: [true, false]) func tokensThatCannotBeCheckedAreRevoked(isDown: Bool) async throws {
        let login = try Login(isDown ? [.others, .down] : [.others])
        #expect(await login.failure()?.code == (isDown ? .temporarilyUnavailable : .invalidIDToken))
        #expect(login.asked.value == (isDown ? 4 : 2))
        #expect(login.bench.web.opened.count == 1)
        #expect(try await login.bench.stored() == nil)
        #expect(login.revoked == ["r", "t"])
    }
}
