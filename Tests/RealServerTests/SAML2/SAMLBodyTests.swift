import Foundation
import HttpC
import Testing

extension RealServerTests.SAML2 {
    /// mod_auth_mellon answers every method with a 303 to its own login page, after which a POST would become a GET.
    @Suite(.serialized) struct Bodies {
        static let kinds = [SAMLSite.Kind.redirect, .post, .artifact, .marked, .secure]
        static let methods = [HTTPRequest.Method.post, .put, .patch, .delete]

        @Test(
            "A modifying request as the first one arrives whole after the login, wherever logins end", arguments: kinds,
            SAMLBench.Finish.allCases)
        func whole(_ kind: SAMLSite.Kind, _ finish: SAMLBench.Finish) async throws {
            for method in Self.methods {
                let bench = try await SAMLBench(kind, finish)
                let body = method == .delete ? nil : [UInt8](repeating: 0x61, count: 300_000)
                let before = try bench.site.server.received("/\(kind.rawValue)/sink").count {
                    $0.method == method.rawValue
                }
                let response = try await bench.manager.data(
                    for: HTTPRequest(method, bench.site.url("sink")), body: body.map { .bytes($0) })
                let arrived = try Arrived(response.text)
                #expect(arrived.method == method.rawValue)
                #expect(arrived.length == body?.count ?? 0)
                #expect(arrived.user == TestUsers.alice.name)
                #expect(try bench.logins == 1)
                // Two requests: the redirected one and the processed one.
                let after = try bench.site.server.received("/\(kind.rawValue)/sink").count {
                    $0.method == method.rawValue
                }
                #expect(after - before == 2)
            }
        }
    }
}
