import Foundation
import HttpConvAuthFlowsTesting
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: redirects that come back from a login")
struct AuthorizationAnswerTests {
    private func request(issuer: String? = nil, requiresIssuer: Bool = false) throws -> OAuth2AuthorizationRequest {
        let grant = try AuthorizationCodeGrant(
            authorizationEndpoint: "https://auth.example.com/authorize?tenant=a",
            redirectURI: "http://127.0.0.1:4711/cb",
            requiresIssuer: requiresIssuer, parameters: ["prompt": "login"])
        let configuration = try OAuth2Configuration(
            clientID: "native app", tokenEndpoint: "https://auth.example.com/token", issuer: issuer,
            scopes: ["openid", "a:b"], grant: .authorizationCode(grant))
        return try OAuth2AuthorizationRequest.made(configuration, grant)
    }

    private func code(_ request: OAuth2AuthorizationRequest, _ url: String) throws(OAuth2Error) -> String {
        try request.code(in: OAuth2AuthorizationAnswer(url: url, redirectURI: request.redirectURI))
    }

    @Test func theRequestCarriesStateNonceAndProof() async throws {
        let request = try request()
        let url = try await request.url()
        let value = { ScriptedOAuth2WebStrategy.parameter($0, of: url) }
        #expect(url.absoluteString.hasPrefix("https://auth.example.com/authorize?tenant=a&response_type=code&"))
        #expect(value("client_id") == "native+app")
        #expect(value("scope") == "openid+a%3Ab")
        #expect(value("code_challenge_method") == "S256")
        #expect(value("code_challenge") == request.proof.challenge)
        #expect(value("state") == request.state.value)
        #expect(value("nonce") == request.nonce?.value)
        #expect(value("prompt") == "login")
        #expect(Set([request.state, Redacted(request.proof.verifier.value), try #require(request.nonce)]).count == 3)
        #expect(!url.absoluteString.contains(request.proof.verifier.value))
    }

    @Test(arguments: ["session_state=x&iss=https%3A%2F%2Fauth&code=c&state=STATE", "state=STATE&code=c#fragment"])
    func answers(query: String) throws {
        let request = try request()
        let url = "http://127.0.0.1:4711/cb?" + query.replacing("STATE", with: request.state.value)
        #expect(try code(request, url) == "c")
    }

    @Test(arguments: [
        ("/cb?code=c", OAuth2Error.Code.invalidRedirect), ("/cb?code=c&state=", .invalidRedirect),
        ("/cb?code=c&state=another", .invalidRedirect), ("/cb?code=c&state=STATE&state=STATE", .invalidRedirect),
        ("/cb?code=c&state=STATE&code=injected", .invalidRedirect), ("/cb?state=STATE", .invalidRedirect),
        ("/cb?code=&state=STATE", .invalidRedirect), ("/cb/../cb2?code=c&state=STATE", .invalidRedirect),
        ("/other?code=c&state=STATE", .invalidRedirect), ("/cb#code=c&state=STATE", .invalidRedirect),
        ("/cb?error=access_denied&state=STATE", .accessDenied), ("/cb?error=server_error&state=STATE", .refused),
        ("/cb?error=access_denied&state=another", .invalidRedirect),
    ])
    func hostileAnswers(path: String, expected: OAuth2Error.Code) throws {
        let request = try request()
        let url = "http://127.0.0.1:4711" + path.replacing("STATE", with: request.state.value)
        do throws(OAuth2Error) {
            _ = try code(request, url)
            Issue.record("it was taken")
        } catch { #expect(error.code == expected) }
    }

    /// The state of one login is invalid for another.
    @Test func aStateIsGoodForOneLogin() throws {
        let (first, second) = (try request(), try request())
        let url = "http://127.0.0.1:4711/cb?code=c&state=\(first.state.value)"
        #expect(first.isAnswer(url))
        #expect(!second.isAnswer(url))
    }

    @Test(arguments: [
        ("", false, true), ("&iss=https%3A%2F%2Fauth.example.com", false, true),
        ("&iss=https%3A%2F%2Fauth.example.com", true, true), ("", true, false),
        ("&iss=https%3A%2F%2Fauth.example.com%2F", false, false), ("&iss=https%3A%2F%2Fevil.example", false, false),
        ("&iss=", false, false),
    ])
    func issuers(extra: String, requiresIssuer: Bool, isTaken: Bool) throws {
        let request = try request(issuer: "https://auth.example.com", requiresIssuer: requiresIssuer)
        let url = "http://127.0.0.1:4711/cb?code=c&state=\(request.state.value)\(extra)"
        do throws(OAuth2Error) {
            _ = try code(request, url)
            #expect(isTaken)
        } catch {
            #expect(error.code == .issuerMismatch)
            #expect(!isTaken)
        }
    }

    /// Django-oauth-toolkit names itself only with a code. In an error that is harmless: it has no code to misuse.
    @Test(arguments: [
        ("", OAuth2Error.Code.accessDenied), ("&iss=https%3A%2F%2Fauth.example.com", .accessDenied),
        ("&iss=https%3A%2F%2Fevil.example", .issuerMismatch), ("&code=c", .accessDenied),
    ])
    func aRefusalMayBeNameless(extra: String, expected: OAuth2Error.Code) throws {
        let request = try request(issuer: "https://auth.example.com", requiresIssuer: true)
        let url = "http://127.0.0.1:4711/cb?error=access_denied&state=\(request.state.value)\(extra)"
        do throws(OAuth2Error) {
            _ = try code(request, url)
            Issue.record("it was taken")
        } catch { #expect(error.code == expected) }
    }
}
