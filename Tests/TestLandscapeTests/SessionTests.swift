import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct SessionTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: [LandscapeOrigin.main, .secure])
    func loginOpensTheResource(origin: LandscapeOrigin) async throws {
        let cookies = try TemporaryFile("cookies")
        let resource = landscape.urlString(origin, "/session/resource")
        let login = landscape.urlString(origin, "/session/login")
        let common = ["-k", "-b", cookies.path, "-c", cookies.path]
        #expect(try await Curl.run(common + ["-w", "%{http_code}", resource]).text.hasSuffix("401"))
        #expect(
            try await Curl.run(common + ["-w", "%{http_code}", resource + "?status=403"]).text.hasSuffix("403"))
        let form = ["--data-urlencode", "user=jürgen", "--data-urlencode", "password=pässwörd€"]
        let answer = try await Curl.run(common + form + ["-i", login])
        #expect(
            answer.text.contains("Path=/session; HttpOnly; SameSite=Lax" + (origin == .secure ? "; Secure" : "")))
        #expect(try await Curl.run(common + [resource]).json()["user"] as? String == "jürgen")
        landscape.clock.advance(by: .seconds(1801))
        #expect(try await Curl.run(common + ["-w", "%{http_code}", resource]).text.hasSuffix("401"))
        _ = try await Curl.run(common + form + [login])
        #expect(try await Curl.run(common + [resource]).json()["user"] as? String == "jürgen")
        landscape.expireSessions()
        #expect(try await Curl.run(common + ["-w", "%{http_code}", resource]).text.hasSuffix("401"))
        #expect(landscape.counters.logins == 2)
    }

    @Test func refusesAWrongPassword() async throws {
        let login = landscape.urlString(.main, "/session/login")
        #expect(try await Curl.status("-d", "user=alice&password=wrong", login) == 403)
        #expect(try await Curl.status("-d", "user=alice", login) == 403)
        #expect(landscape.counters.failedLogins == 1)
        #expect(landscape.counters.logins == 0)
    }

    @Test func setsCookiesAsAsked() async throws {
        let cookies = try TemporaryFile("cookies")
        let url = landscape.urlString(
            .main, "/cookies/set?line=a%3D1%3B%20Path%3D%2F&line=b%3D%22x%20y%22&line=c%3D%01%1B")
        let answer = try await Curl.run("-i", "-c", cookies.path, url)
        #expect(
            answer.text.contains(
                "Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=\"x y\"\r\nSet-Cookie: c=\u{1}\u{1B}\r\n"))
        let echo = try await Curl.run("-b", "a=1; b=2", landscape.urlString(.main, "/cookies/echo")).json()
        #expect(echo["fields"] as? [String] == ["a=1; b=2"])
        #expect((echo["cookies"] as? [[String: String]])?.map { $0["value"] } == ["1", "2"])
        let deleted = try await Curl.run("-i", landscape.urlString(.main, "/cookies/delete?name=a&path=/x"))
        #expect(deleted.text.contains("a=; Path=/x; Max-Age=0"))
    }
}
