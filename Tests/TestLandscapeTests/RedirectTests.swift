import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct RedirectTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: [
        ("/redirect/chain/5", 5, "the end"), ("/redirect/307?to=%2Fjson", 1, "hello"),
        ("/redirect/to/other?path=/redirect/to/secure", 2, "hello"), ("/redirect/to/secure", 1, "hello"),
        ("/redirect/relative", 1, "hello"), ("/redirect/fragment", 1, "hello"),
        ("/redirect/scheme-relative", 1, "hello"),
    ])
    func curlArrives(path: String, hops: Int, content: String) async throws {
        let answer = try await Curl.run("-k", "-L", "-w", " %{num_redirects}", landscape.urlString(.main, path))
        #expect(answer.text.contains(content))
        #expect(answer.text.hasSuffix(" \(hops)"))
    }

    @Test(arguments: [
        ("/redirect/loop", 47), ("/redirect/ping-pong", 47), ("/redirect/file", 1), ("/redirect/javascript", 1),
        ("/redirect/garbage", 3),
    ])
    func curlGivesUp(path: String, exitCode: Int32) async throws {
        let answer = try await Curl.run("-L", "--max-redirs", "5", landscape.urlString(.main, path))
        #expect(answer.exitCode == exitCode, "\(answer.errors)")
    }

    @Test(arguments: [
        ("/redirect/several-locations", "Location: /json\r\nLocation: /echo\r\n"),
        ("/redirect/garbage-control", "Location: /json\u{1}\u{1B}[31m\r\n"),
        ("/redirect/ftp?status=308", "308 Elsewhere\r\nLocation: ftp://127.0.0.1/pub\r\n"),
        ("/redirect/301?to=%2Fx%20y%FF", "Location: /x y"),
    ])
    func writesLocationsAsTheyAre(path: String, text: String) async throws {
        #expect(try await Curl.run("-i", landscape.urlString(.main, path)).text.contains(text))
    }

    @Test func postsOnceThroughA303ToA401() async throws {
        let url = landscape.urlString(.main, "/post-303-401")
        let answer = try await Curl.run("-L", "-u", "alice:wonderland", "-d", "x", url)
        #expect(try answer.json()["user"] as? String == "alice")
        #expect(try await Curl.run(url).json()["posts"] as? Int == 1)
        #expect(landscape.requests(path: "/basic/realm1/after-post").map(\.method) == ["GET"])
    }
}
