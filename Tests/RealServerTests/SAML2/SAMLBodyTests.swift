import Foundation
import HttpC
import Testing

extension RealServerTests.SAML2 {
    /// mod_auth_mellon answers every method with a 303 to its own login page, after which a POST would be a GET.
    @Suite(.serialized) struct Bodies {
        static let places = [
            (SAMLSite.Kind.redirect, SAMLBench.Finish.loginPage), (.post, .loginPage), (.artifact, .loginPage),
            (.marked, .page), (.secure, .loginPage),
        ]

        @Test("A body arrives whole after the login", arguments: places, [HTTPRequest.Method.post, .put])
        func whole(_ place: (kind: SAMLSite.Kind, finish: SAMLBench.Finish), _ method: HTTPRequest.Method) async throws
        {
            let bench = try await SAMLBench(place.kind, place.finish)
            let body = [UInt8](repeating: 0x61, count: 300_000)
            let response = try await bench.manager.data(
                for: HTTPRequest(method, bench.site.url("sink")), body: .bytes(body))
            let arrived = try Arrived(response.text)
            #expect(arrived.method == method.rawValue)
            #expect(arrived.length == body.count)
            #expect(arrived.user == TestUsers.alice.name)
            #expect(try bench.logins == 1)
        }

        @Test("Where nothing tells the redirect from an answer, nothing is posted twice: an error says so")
        func unrecognised() async throws {
            let bench = try await SAMLBench(.redirect, .page)
            let error = await #expect(throws: ConversationError.self) {
                _ = try await bench.manager.data(
                    for: HTTPRequest(.post, bench.site.url("sink")), body: .text("once"))
            }
            #expect((error?.underlyingError as? WebLoginError)?.code == .challengedAgain)
            #expect(try bench.site.server.received("/redirect/sink").count { $0.method == "POST" } >= 1)
        }
    }
}
