import Foundation
import LandscapeSupport
import Testing

/// The pages for people.
@Suite(.landscape, .timeLimit(.minutes(1))) struct PageTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func curl(_ url: String, _ options: String...) async throws -> String {
        let answer = try await Curl.run(["-si", "--max-time", "20"] + options + [url])
        #expect(answer.exitCode == 0, "\(answer.errors)")
        return answer.text
    }

    @Test func contentsAreAPageForBrowsersAndTextForOthers() async throws {
        let page = try await curl(landscape.urlString(.main, "/"), "-H", "Accept: text/html,*/*;q=0.8")
        #expect(page.contains("Content-Type: text/html; charset=utf-8") && page.contains("<h2>Endpoints</h2>"))
        #expect(page.contains("<a href=\"\(landscape.urlString(.other, ""))\">"))
        #expect(page.contains("<a href=\"/json\">/json</a>") && !page.contains("href=\"/status/"))
        #expect(page.contains("builder&#39;s &quot;secret&quot;") && !page.contains(landscape.adminToken))
        let text = try await curl(landscape.urlString(.main, "/"))
        #expect(text.contains("Content-Type: text/plain") && text.hasSuffix(landscape.tableOfContents))
    }

    /// All pages have the one stylesheet, which their policy allows, and suit telephones.
    @Test(arguments: ["/", "/oauth2/device", "/oauth2/authorize?client_id=nobody", "/otpform/basic"])
    func pagesHaveAStyle(path: String) async throws {
        let page = try await curl(landscape.urlString(.main, path), "-H", "Accept: text/html")
        #expect(page.contains("<link rel=\"stylesheet\" href=\"/landscape.css\">"), "\(page)")
        #expect(page.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"))
        #expect(!page.contains("Content-Security-Policy") || page.contains("style-src 'self'"))
    }

    @Test func theStylesheetIsOnEveryOriginAndNoPartOfARecord() async throws {
        for origin in [LandscapeOrigin.main, .other] {
            let style = try await curl(landscape.urlString(origin, "/landscape.css"))
            #expect(style.contains("Content-Type: text/css") && style.contains("prefers-color-scheme: dark"))
        }
        #expect(landscape.requests(path: "/landscape.css").isEmpty)
    }
}
