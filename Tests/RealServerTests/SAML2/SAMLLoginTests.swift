import Foundation
import HttpC
import Testing

extension RealServerTests.SAML2 {
    /// The flow against an independent service provider and identity provider.
    @Suite(.serialized) struct Login {
        @Test(
            "A protected page, by each binding and either kind of finish endpoint", arguments: SAMLSite.Kind.allCases,
            SAMLBench.Finish.allCases)
        func page(_ kind: SAMLSite.Kind, _ finish: SAMLBench.Finish) async throws {
            let bench = try await SAMLBench(kind, finish)
            let response = try await bench.get()
            #expect(response.status == .ok)
            #expect(response.text == Fixture.hello)
            #expect(response.url.absoluteString == bench.site.url("page"))
            #expect(try bench.logins == 1)
            // Cookies of the identity provider are not copied to the session (security rule S17).
            let names = bench.session.cookies.snapshot.cookies.map(\.name)
            #expect(names.contains(bench.site.cookie))
            #expect(names.allSatisfy { $0.hasPrefix("mellon-") })
        }

        @Test("Names and passwords beyond ASCII", arguments: [TestUsers.zolw, TestUsers.juergen])
        func umlauts(_ user: TestUsers.User) async throws {
            let bench = try await SAMLBench(.redirect, as: user)
            #expect(try Arrived(try await bench.get("sink").text).user == user.name)
        }

        @Test("A session is used until it ends, and then there is one more login")
        func expiry() async throws {
            let bench = try await SAMLBench(.redirect)
            for _ in 0..<3 { #expect(try await bench.get().text == Fixture.hello) }
            #expect(try bench.logins == 1)
            // The service provider forgets the session. The deleted cookie is put back, as after an expiry.
            let cookies = bench.session.cookies.snapshot
            _ = try await Library.manager().data(
                for: Self.request(
                    bench.site.invalidation, with: cookies.cookies.filter { $0.name == bench.site.cookie }))
            #expect(try await bench.get().text == Fixture.hello)
            #expect(try bench.logins == 2)
        }

        @Test("Sessions of two seconds: a new login each time one has ended")
        func shortSessions() async throws {
            let bench = try await SAMLBench(.short)
            while try bench.logins < 2 {
                #expect(try await bench.get().text == Fixture.hello)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(bench.web.timesOpened == 2)
        }

        @Test(
            "HEAD", arguments: [(SAMLSite.Kind.redirect, SAMLBench.Finish.page), (.marked, .page), (.post, .loginPage)])
        func head(_ kind: SAMLSite.Kind, _ finish: SAMLBench.Finish) async throws {
            let bench = try await SAMLBench(kind, finish)
            let response = try await bench.manager.data(for: HTTPRequest(.head, bench.site.url("page")))
            #expect(response.status == .ok)
            #expect(response.headerFields[.contentLength] == String(Fixture.hello.utf8.count))
            #expect(try bench.logins == 1)
        }

        private static func request(_ url: String, with cookies: [Cookie]) throws -> HTTPRequest {
            var request = try HTTPRequest(.get, url)
            request.headerFields[.cookie] = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            return request
        }
    }
}
