import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct BasicTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: [
        ("realm1", "alice:wonderland", 200), ("realm1", "alice:wrong", 401), ("realm1", "nobody:x", 401),
        ("realm1", "carol:pass:with:colons", 200), ("realm2", "carol:pass:with:colons", 401),
        ("utf8", "jürgen:pässwörd€", 200), ("realm1", "jürgen:pässwörd€", 200),
        ("quotes", "bob:builder's \"secret\"", 200),
        ("escapes", "alice:wonderland", 200),
    ])
    func logsInWithCurl(realm: String, credentials: String, status: Int) async throws {
        let url = landscape.urlString(.main, "/basic/\(realm)/page")
        #expect(try await Curl.status(url) == 401)
        #expect(try await Curl.status("-u", credentials, url) == status)
        #expect(landscape.counters.failedLogins == (status == 401 ? 1 : 0))
        #expect(landscape.counters.authenticated == (status == 200 ? 1 : 0))
        #expect(landscape.counters.unauthorized == (status == 401 ? 2 : 1))
        #expect(landscape.requests(path: "/basic/\(realm)/page").map(\.status) == [401, status])
    }

    @Test(arguments: [("realm1", 200), ("utf8", 401)])
    func acceptsISO88591OnlyWhereNoCharsetIsAnnounced(realm: String, status: Int) async throws {
        let latin1 = try #require("rené:café".data(using: .isoLatin1)).base64EncodedString()
        let url = landscape.urlString(.main, "/basic/\(realm)/page")
        #expect(try await Curl.status("-H", "Authorization: Basic \(latin1)", url) == status)
    }

    @Test(arguments: [
        ("realm1", #"Basic realm="realm1""#), ("utf8", #"Basic realm="utf8", charset="UTF-8""#),
        ("quotes", #"Basic realm="the \"quoted\" \\ realm""#),
        ("escapes", "Basic realm=\"\u{1B}[31mred alert\u{1B}[0m\u{1B}]0;owned\u{7}\""),
    ])
    func challenges(realm: String, challenge: String) async throws {
        let answer = try await Curl.run("-i", landscape.urlString(.secure, "/basic/\(realm)/"), "-k")
        #expect(answer.text.contains(": \(challenge)\r\n"))
    }

    @Test func knowsUsersAddedLater() async throws {
        let url = landscape.urlString(.other, "/basic/mine/")
        landscape.addUser("own", password: "first", realms: ["mine"])
        #expect(try await Curl.status("-u", "own:first", url) == 200)
        landscape.addUser("own", password: "second", realms: ["mine"])
        #expect(try await Curl.status("-u", "own:first", url) == 401)
        #expect(try await Curl.status("-u", "own:second", url) == 200)
        landscape.removeUser("own")
        #expect(try await Curl.status("-u", "own:second", url) == 401)
    }

    @Test(arguments: [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")])
    func challengesAsAsked(status: Int, name: String) async throws {
        let path = "/challenge?status=\(status)&line=Basic%20realm%3D%22open&line=%01,,=%3D"
        let answer = try await Curl.run("-i", "-u", "alice:wonderland", landscape.urlString(.main, path)).text
        #expect(answer.contains("\r\n\(name): Basic realm=\"open\r\n\(name): \u{1},,==\r\n"))
        #expect(landscape.requests(status: status).count == 1)
    }
}

/// `/signed/…` uses a scheme that no client knows.
@Suite(.timeLimit(.minutes(1))) struct SignedTests {
    @Test func acceptsSignedRequests() async throws {
        try await withLandscape { landscape async throws in
            let url = landscape.urlString(.main, "/signed/report?a=b")
            let code = try await OpenSSL.hmacSHA256("GET /signed/report?a=b", key: "wonderland")
            #expect(try await Curl.status("-H", "Authorization: X-HMAC \(code)", url) == 200)
            #expect(try await Curl.status("-H", "Authorization: X-HMAC \(code)", url + "c") == 401)
            #expect(try await Curl.status("-u", "alice:wonderland", url) == 401)
            #expect(landscape.counters.authenticated == 1)
            #expect(landscape.counters.failedLogins == 2)
        }
    }
}
