#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvWebStrategies
import LandscapeSupport
import Testing

/// The pages of the logins that were recorded in WebKit's engine, in Chromium: the same policy ends them in the same way.
extension ChromiumTests {
    @Suite(.landscape) struct RecordedPagesTests {
        private let landscape: Landscape
        private let bench: BrowserBench
        private let sp: String
        private let idp: String

        init() throws {
            landscape = try .current
            bench = try BrowserBench(landscape)
            sp = String(landscape.urlString(.raw, "/").dropLast())
            idp = sp.replacing("127.0.0.1", with: "localhost")
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "WebKit/pages.json")
            let pages = try #require(JSONValue(Array(try Data(contentsOf: file)))?.elements)
            for page in pages {
                let path = try #require(page["path"]?.text)
                let names = ["Location", "Content-Type", "Content-Disposition", "WWW-Authenticate"]
                let fields = names.compactMap { name in
                    (page["fields"]?[name]?.text).map { "\(name): \(placed($0))\r\n" }
                }
                let body = placed(page["body"]?.text ?? "")
                landscape.raw.respond(
                    path: path,
                    text: "HTTP/1.1 \(Int(page["status"]?.number ?? 200)) Recorded\r\n\(fields.joined())"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }

        private func placed(_ text: String) -> String {
            let user = idp.replacing("//", with: "//alice:secret@")
            return text.replacing("{sp}", with: sp).replacing("{idpWithUser}", with: user).replacing("{idp}", with: idp)
        }

        private func login(_ start: String, on server: String, to finish: String) throws -> WebLogin {
            try bench.login(from: URL(string: "\(server)/\(start)"), to: finish, returnsCookies: false)
        }

        /// SAML2 by three bindings, OAuth2 by three kinds of redirect URI, and a one-time code without the authenticator.
        @Test(arguments: [
            ("post/start", "/post/done"), ("redirect/start", "/redirect/done"), ("artifact/start", "/artifact/done"),
        ])
        func aLoginByABindingEnds(_ start: String, _ end: String) async throws {
            let outcome = try await bench.perform(try login(start, on: sp, to: end))
            #expect(outcome.finish.value == sp + end)
        }

        @Test(arguments: [
            ("oauth/scheme", "com.example.app:/callback", "com.example.app:/callback?code=1&state=2"),
            ("oauth/web", "/callback", "{sp}/callback?code=1&state=2"),
            ("oauth/loopback", "/callback", "http://127.0.0.1:49152/callback?code=1&state=2"),
            ("otp/form", "/otp/check", "{idp}/otp/check"),
        ])
        func aLoginByARedirectEnds(_ start: String, _ end: String, _ found: String) async throws {
            let outcome = try await bench.perform(try login(start, on: idp, to: end))
            #expect(outcome.finish.value == placed(found))
        }

        @Test(arguments: ["userinfo", "refused"]) func aLoginFails(_ start: String) async throws {
            let error = try await bench.failure(try login(start, on: idp, to: "/finish"))
            #expect(error.code == .pageFailed, "\(error)")
            #expect(!"\(error)".contains("secret"))
        }
    }
}
#endif
