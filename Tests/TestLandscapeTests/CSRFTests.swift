import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct CSRFTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// The value of a header field in the output of `curl -i`.
    private static func field(_ name: String, in text: String) -> String? {
        text.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }

    @Test func aTokenIsBoundToSessionServiceAndOrigin() async throws {
        let (cookies, other) = (try TemporaryFile("cookies"), try TemporaryFile("other"))
        let fetch = ["-i", "-H", "X-CSRF-Token: Fetch"]
        let root = landscape.urlString(.main, "/csrf/svc/")
        let answer = try await Curl.run(fetch + ["-b", cookies.path, "-c", cookies.path, root]).text
        let token = try #require(Self.field("X-CSRF-Token", in: answer))
        let again = try await Curl.run(fetch + ["-b", cookies.path, root]).text
        #expect(Self.field("X-CSRF-Token", in: again) == token)
        #expect(Self.field("Set-Cookie", in: again) == nil)
        let post = ["-i", "-d", "12345", "-H", "X-CSRF-Token: \(token)"]
        let url = landscape.urlString(.main, "/csrf/svc/x")
        #expect(try await Curl.run(post + ["-b", cookies.path, url]).text.contains("\"length\":5"))
        let refused = [
            ["-i", "-d", "x", "-b", cookies.path, url], post + ["-b", other.path, url],
            post + ["-b", cookies.path, landscape.urlString(.main, "/csrf/second/x")],
            post + ["-b", cookies.path, landscape.urlString(.other, "/csrf/svc/x")],
        ]
        for arguments in refused {
            let text = try await Curl.run(arguments).text
            #expect(text.hasPrefix("HTTP/1.1 403"))
            #expect(Self.field("X-CSRF-Token", in: text) == "Required")
        }
        landscape.expireCSRFTokens()
        #expect(try await Curl.run(post + ["-b", cookies.path, url]).text.hasPrefix("HTTP/1.1 403"))
        #expect(landscape.csrfCounters.fetches == 2)
        #expect(landscape.csrfCounters.accepted == 1)
        #expect(landscape.csrfCounters.refused == 5)
    }

    @Test func readingNeedsNoToken() async throws {
        let url = landscape.urlString(.main, "/csrf/svc/x")
        let text = try await Curl.run("-i", url).text
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(Self.field("X-CSRF-Token", in: text) == nil)
        let tokenless = try await Curl.run(
            "-i", "-H", "X-CSRF-Token: fetch", landscape.urlString(.main, "/csrf/tokenless/")
        ).text
        #expect(Self.field("X-CSRF-Token", in: tokenless) == nil)
    }
}
