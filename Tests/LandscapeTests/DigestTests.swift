import Foundation
import Landscape
import Testing

@Suite(.timeLimit(.minutes(1))) struct DigestTests {
    // curl 7.88 has no auth-int, and SHA-512-256 is checked in DigestVectorTests.
    @Test(arguments: [
        ("md5", "Digest MD5"), ("sha256", "Digest SHA-256"), ("md5-sess", "Digest MD5-sess"),
        ("sha256-sess", "Digest SHA-256-sess"), ("legacy", "Digest MD5"), ("auth-both", "Digest MD5"),
        ("domain", "Digest SHA-256"), ("once", "Digest SHA-256"), ("nextnonce", "Digest SHA-256"),
    ])
    func logsInWithCurl(variant: String, scheme: String) async throws {
        try await withLandscape { landscape async throws in
            let url = landscape.urlString(.main, "/digest/\(variant)/page?a=1&b=2")
            let answer = try await Curl.run("--digest", "-u", "jürgen:pässwörd€", url).json()
            #expect(answer["user"] as? String == "jürgen")
            #expect(answer["scheme"] as? String == scheme)
            #expect(landscape.requests(path: "/digest/\(variant)/page").map(\.status) == [401, 200])
            #expect(try await Curl.status("--digest", "-u", "jürgen:wrong", url) == 401)
            #expect(landscape.counters.failedLogins == 1)
        }
    }

    @Test func nonceServesSeveralRequestsUntilItsLifetimeIsOver() async throws {
        try await withLandscape { landscape async throws in
            landscape.nonceRule = NonceRule(lifetime: .seconds(10))
            let answer = try await Curl.run("-i", landscape.urlString(.main, "/digest/legacy/x"))
            let nonce = try #require(answer.text.firstMatch(of: /nonce="([^"]+)"/)?.output.1)
            let field = LegacyDigest.field(nonce: String(nonce), uri: "/digest/legacy/x")
            let url = landscape.urlString(.main, "/digest/legacy/x")
            #expect(try await Curl.status("-H", field, url) == 200)
            #expect(try await Curl.status("-H", field, url) == 200)
            landscape.clock.advance(by: .seconds(11))
            let stale = try await Curl.run("-i", "-H", field, url)
            #expect(stale.text.contains("401 Unauthorized"))
            #expect(stale.text.contains("stale=true"))
            #expect(landscape.counters.staleNonces == 1)
            #expect(landscape.counters.failedLogins == 0)
        }
    }

    @Test func alwaysStaleNeverLetsIn() async throws {
        try await withLandscape { landscape async throws in
            let url = landscape.urlString(.main, "/digest/stale/x")
            #expect(try await Curl.status("--digest", "-u", "alice:wonderland", url) == 401)
            #expect(landscape.counters.staleNonces >= 1)
            #expect(landscape.counters.failedLogins == 0)
        }
    }

    @Test func offersEverythingInSeveralFieldsOrOne() async throws {
        try await withLandscape { landscape async throws in
            let several = try await Curl.run("-i", landscape.urlString(.main, "/digest/all/x")).text
            let one = try await Curl.run("-i", landscape.urlString(.main, "/digest/all-in-one/x")).text
            #expect(several.matches(of: /(?i)www-authenticate:/).count == 4)
            #expect(one.matches(of: /(?i)www-authenticate:/).count == 1)
            for text in [several, one] {
                for algorithm in ["SHA-512-256", "SHA-256", "MD5"] { #expect(text.contains("algorithm=\(algorithm),")) }
                #expect(text.contains("Basic realm="))
            }
            let url = landscape.urlString(.main, "/digest/all/x")
            #expect(try await Curl.status("--basic", "-u", "alice:wonderland", url) == 200)
        }
    }
}
