import Foundation
import LandscapeSupport
import Testing

@testable import TestLandscape

@Suite(.landscape, .timeLimit(.minutes(1))) struct DigestTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    // Variants that curl cannot do are in the tests below with DigestClient.
    @Test(arguments: [
        ("md5", "Digest MD5"), ("sha256", "Digest SHA-256"), ("md5-sess", "Digest MD5-sess"),
        ("sha256-sess", "Digest SHA-256-sess"), ("legacy", "Digest MD5"), ("auth-both", "Digest MD5"),
        ("domain", "Digest SHA-256"), ("once", "Digest SHA-256"), ("nextnonce", "Digest SHA-256"),
    ])
    func logsInWithCurl(variant: String, scheme: String) async throws {
        let url = landscape.urlString(.main, "/digest/\(variant)/page?a=1&b=2")
        let answer = try await Curl.run("--digest", "-u", "jürgen:pässwörd€", url).json()
        #expect(answer["user"] as? String == "jürgen")
        #expect(answer["scheme"] as? String == scheme)
        #expect(landscape.requests(path: "/digest/\(variant)/page").map(\.status) == [401, 200])
        #expect(try await Curl.status("--digest", "-u", "jürgen:wrong", url) == 401)
        #expect(landscape.counters.failedLogins == 1)
    }

    @Test(arguments: [
        ("md5", "auth"), ("sha256", "auth"), ("sha512-256", "auth"), ("md5-sess", "auth"), ("sha512-256-sess", "auth"),
        ("auth-int", "auth-int"), ("auth-both", "auth-int"), ("legacy", nil),
    ])
    func acceptsRightAnswersAndProvesItself(variant: String, qop: String?) async throws {
        let uri = "/digest/\(variant)/x?y=1"
        let url = landscape.urlString(.main, uri)
        let challenge = try #require(DigestClient.challenge(in: try await Curl.run("-i", url).text))
        let client = DigestClient(challenge: challenge, method: "POST", uri: uri, body: "payload", qop: qop)
        let answer = try await Curl.run("-i", "-H", try await client.field(), "-d", "payload", url).text
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        let body = try #require(answer.components(separatedBy: "\r\n\r\n").last)
        if qop != nil, !variant.hasSuffix("-sess") {
            let proof = try await client.expectedProof(body: body)
            #expect(answer.contains("rspauth=\"\(proof)\""))
        }
        var other = client
        other.count = 2
        // The hash covers method and query, and with auth-int also the body.
        #expect(try await Curl.status("-H", try await other.field(), "-X", "PUT", "-d", "payload", url) == 401)
        #expect(try await Curl.status("-H", try await other.field(), "-d", "payload", url + "2") == 401)
        let changed = try await Curl.status("-H", try await other.field(), "-d", "other", url)
        #expect(changed == (qop == "auth-int" ? 401 : 200))
    }

    @Test func refusesARepeatedNonceCount() async throws {
        let url = landscape.urlString(.main, "/digest/sha256/x")
        let challenge = try #require(DigestClient.challenge(in: try await Curl.run("-i", url).text))
        var client = DigestClient(challenge: challenge, uri: "/digest/sha256/x")
        for (count, status) in [(1, 200), (3, 200), (2, 200), (3, 401), (1, 401), (4, 200)] {
            client.count = count
            #expect(try await Curl.status("-H", try await client.field(), url) == status)
        }
        #expect(landscape.counters.replayedNonceCounts == 2)
        #expect(landscape.counters.failedLogins == 0)
    }

    @Test func nextNonceIsGood() async throws {
        let url = landscape.urlString(.main, "/digest/nextnonce/x")
        let challenge = try #require(DigestClient.challenge(in: try await Curl.run("-i", url).text))
        var client = DigestClient(challenge: challenge, uri: "/digest/nextnonce/x")
        let answer = try await Curl.run("-i", "-H", try await client.field(), url).text
        client.nonce = String(try #require(answer.firstMatch(of: /nextnonce="([^"]+)"/)?.output.1))
        #expect(try await Curl.status("-H", try await client.field(), url) == 200)
        client.count = 2
        let stale = try await Curl.run("-i", "-H", try await client.field(), url).text
        #expect(stale.contains("401") && stale.contains("stale=true"))
    }

    @Test(arguments: [NonceRule(lifetime: .seconds(10)), NonceRule(uses: 2)])
    func nonceExpires(rule: NonceRule) async throws {
        landscape.nonceRule = rule
        let url = landscape.urlString(.main, "/digest/md5/x")
        let challenge = try #require(DigestClient.challenge(in: try await Curl.run("-i", url).text))
        var client = DigestClient(challenge: challenge, uri: "/digest/md5/x")
        for count in 1...2 {
            client.count = count
            #expect(try await Curl.status("-H", try await client.field(), url) == 200)
        }
        if rule.uses == nil { landscape.clock.advance(by: .seconds(11)) }
        client.count = 3
        let stale = try await Curl.run("-i", "-H", try await client.field(), url).text
        #expect(stale.contains("401 Unauthorized") && stale.contains("stale=true"))
        client.password = "wrong"
        client.count = 4
        let wrong = try await Curl.run("-i", "-H", try await client.field(), url).text
        #expect(wrong.contains("401 Unauthorized") && !wrong.contains("stale=true"))
        #expect(landscape.counters.staleNonces == 1)
        #expect(landscape.counters.failedLogins == 1)
    }

    @Test func alwaysStaleNeverLetsIn() async throws {
        let url = landscape.urlString(.main, "/digest/stale/x")
        #expect(try await Curl.status("--digest", "-u", "alice:wonderland", url) == 401)
        #expect(landscape.counters.staleNonces >= 1)
        #expect(landscape.counters.failedLogins == 0)
    }

    @Test func offersEverythingInSeveralFieldsOrOne() async throws {
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

@Suite struct DigestAlgorithmTests {
    /// Checks each algorithm with the examples of RFC 1321 appendix A.5 and FIPS 180-4.
    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha512t256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func matchesPublishedVectors(algorithm: DigestAlgorithm, hash: String) {
        #expect(algorithm.hex("abc") == hash)
    }
}
