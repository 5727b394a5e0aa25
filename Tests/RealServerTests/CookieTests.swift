import Foundation
import HttpC
import HttpConversationNIO
import TestSupport
import Testing

extension RealServerTests {
    /// The same `Set-Cookie` lines and the same visits, once with curl and once with ours. Apache records the `Cookie`
    /// fields.
    @Suite(.serialized) struct Cookies {
        /// Cookies that a visit sets, and the visits after it.
        struct Story: Sendable, CustomTestStringConvertible {
            let name: String
            /// A host and path, and the lines set there.
            let sets: [(url: String, lines: [String])]
            var visits = Story.usual
            /// Cookies that curl sends and we do not, and the reason.
            var less: (cookies: Set<String>, reason: String) = ([], "")
            var testDescription: String { name }

            static let usual = [
                "http://a.example.com/cookie/", "http://a.example.com/cookie/deep/er", "http://a.example.com/cookies",
                "http://b.example.com/cookie/", "http://example.com/cookie/", "https://a.example.com/cookie/deep/",
                "http://x.a.example.com/cookie/",
            ]
        }

        static let stories = [
            Story(name: "host-only", sets: [("http://a.example.com/cookie/", ["a=1"])]),
            Story(
                name: "domain",
                sets: [("http://a.example.com/cookie/", ["a=1; Domain=example.com", "b=2; domain=.A.example.com"])]),
            Story(
                name: "foreign domain",
                sets: [("http://a.example.com/cookie/", ["a=1; Domain=b.example.com", "b=2; Domain=ample.com"])]),
            Story(
                name: "public suffix",
                sets: [("http://a.example.com/cookie/", ["a=1; Domain=com", "b=2; Domain=.com"])]),
            Story(
                name: "paths",
                sets: [
                    (
                        "http://a.example.com/cookie/deep/er",
                        ["a=1", "b=2; Path=/", "c=3; Path=/cookie", "d=4; Path=/cookie/deep/er"]
                    )
                ]),
            Story(
                name: "path without a slash", sets: [("http://a.example.com/cookie/deep/er", ["a=1; Path=other"])],
                visits: ["http://a.example.com/cookie/deep/er", "http://a.example.com/cookie/deep/"]),
            Story(
                name: "path without a slash, elsewhere",
                sets: [("http://a.example.com/cookie/deep/er", ["a=1; Path=other"])],
                visits: ["http://a.example.com/cookie/"],
                less: (["a=1"], "RFC 6265 §5.2.4: the default path; curl takes the root")),
            Story(
                name: "path is whole segments",
                sets: [("http://a.example.com/cookie/", ["a=1; Path=/cookie/dee", "b=2; Path=/cookie/deep"])]),
            Story(
                name: "secure over https",
                sets: [("https://a.example.com/cookie/", ["a=1; Secure; Path=/", "b=2; Path=/"])]),
            Story(
                name: "secure over http",
                sets: [("http://a.example.com/cookie/", ["a=1; Secure; Path=/", "b=2; Path=/"])]),
            Story(
                name: "http over secure",
                sets: [
                    ("https://a.example.com/cookie/", ["a=1; Secure; Path=/"]),
                    ("http://a.example.com/cookie/", ["a=evil; Path=/"]),
                ]),
            Story(
                name: "prefixes",
                sets: [
                    (
                        "https://a.example.com/cookie/",
                        [
                            "__Host-a=1; Secure; Path=/", "__Host-b=2; Secure; Path=/; Domain=example.com",
                            "__Secure-c=3; Secure", "__Secure-d=4",
                        ]
                    )
                ]),
            Story(
                name: "replace",
                sets: [("http://a.example.com/cookie/", ["a=1", "a=2"]), ("http://a.example.com/cookie/", ["a=3"])]),
            Story(
                name: "delete by Max-Age",
                sets: [
                    ("http://a.example.com/cookie/", ["a=1", "b=2"]),
                    ("http://a.example.com/cookie/", ["a=x; Max-Age=0", "c=3"]),
                ], less: (["a=1"], "RFC 6265 §5.2.2: a deletion; curl 7.88 keeps a session cookie")),
            Story(
                name: "delete by Expires",
                sets: [
                    ("http://a.example.com/cookie/", ["a=1", "b=2"]),
                    ("http://a.example.com/cookie/", ["a=x; Expires=Thu, 01 Jan 1970 00:00:01 GMT"]),
                ]),
            Story(
                name: "Max-Age before Expires",
                sets: [
                    (
                        "http://a.example.com/cookie/",
                        [
                            "a=1; Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:01 GMT",
                            "b=2; Expires=Fri, 01-Jan-2100 00:00:00 GMT; Max-Age=-1",
                        ]
                    )
                ]),
            Story(
                name: "odd values",
                sets: [
                    (
                        "http://a.example.com/cookie/",
                        ["a=\"quoted value\"", "b=x=y=z", "c=%7B%22k%22%3A1%7D", "d=", "e = spaced "]
                    )
                ]),
            Story(
                name: "unknown attributes",
                sets: [("http://a.example.com/cookie/", ["a=1; HttpOnly=1; Version=1; SameSite=None; Priority=High"])]),
            Story(
                name: "same name, several paths",
                sets: [("http://a.example.com/cookie/deep/", ["a=1; Path=/", "a=2; Path=/cookie", "a=3"])]),
            Story(
                name: "same name, several domains",
                sets: [
                    ("http://a.example.com/cookie/", ["a=1; Domain=example.com"]),
                    ("http://b.example.com/cookie/", ["a=2; Domain=example.com; Path=/"]),
                ]),
            Story(
                name: "IP address",
                sets: [("http://127.0.0.1/cookie/", ["a=1; Domain=127.0.0.1", "b=2; Domain=0.0.1", "c=3"])],
                visits: ["http://127.0.0.1/cookie/"]),
        ]

        @Test("Cookies go where curl's go", arguments: stories)
        func likeCurl(_ story: Story) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let curl = try await CurlCookies(server: apache)
            let ours = try await OurCookies(server: apache, suffixes: .system)
            for (url, lines) in story.sets {
                let query = "?" + lines.map { "set=\(Self.encode($0))" }.joined(separator: "&")
                _ = try await curl.visit(url + query)
                _ = try await ours.visit(url + query)
            }
            for visit in story.visits {
                let theirs = Self.set(try await curl.visit(visit))
                let sent = Self.set(try await ours.visit(visit))
                #expect(sent == theirs.subtracting(story.less.cookies), "\(visit) \(story.less.reason)")
            }
        }

        @Test("A difference from curl by design: without a public suffix list every cookie is host-only (S15)")
        func withoutSuffixes() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let ours = try await OurCookies(server: apache, suffixes: nil)
            _ = try await ours.visit("http://a.example.com/cookie/?set=a%3D1;%20Domain=example.com")
            #expect(try await ours.visit("http://a.example.com/cookie/") == "a=1")
            #expect(try await ours.visit("http://b.example.com/cookie/") == "")
        }

        /// Lines that one visit sets and another one changes, and the cookies sent afterwards. Each step is a process
        /// of its own.
        @Test(
            "A cookie file of httpc carries from run to run what curl's does",
            arguments: [
                (["a=1; Path=/", "b=2; Path=/cookie/deep; Max-Age=1000"], ["c=3; Path=/"]),
                (
                    ["a=1; Path=/", "b=2; Path=/"],
                    ["a=2; Path=/", "b=; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT"]
                ),
                (
                    ["a=1; Path=/; Domain=127.0.0.1; HttpOnly", "b=2; Path=/; Domain=example.com"],
                    ["d=\"x y\"; Path=/"]
                ),
                (
                    ["a=1; Path=/cookie; Expires=Fri, 01-Jan-2100 00:00:00 GMT"],
                    ["a=2; Path=/", "e=%7B%22k%22%3A1%7D; Path=/"]
                ),
            ] as [([String], [String])])
        func commandCookieFile(_ first: [String], _ second: [String]) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let directory = try await RealServers.shared.directory()
            let (theirs, ours) = (try directory.file("curl-cookies", []), try directory.file("httpc-cookies", []))
            for lines in [first, second] {
                let query = "?" + lines.map { "set=\(Self.encode($0))" }.joined(separator: "&")
                _ = try await Self.visit("/cookie/x" + query, apache, curl: theirs, httpc: ours)
            }
            for path in ["/cookie/x", "/cookie/deep/er", "/cookie/deeper", "/cookie/"] {
                let (expected, sent) = try await Self.visit(path, apache, curl: theirs, httpc: ours)
                #expect(!expected.isEmpty)
                #expect(Self.set(sent) == Self.set(expected), "\(path)")
            }
        }

        private static func visit(
            _ path: String, _ server: RealServer, curl: URL, httpc: URL
        ) async throws -> (curl: String, httpc: String) {
            let theirs = try await Program.run(
                "/usr/bin/curl", ["-sS", "--noproxy", "*", "-b", curl.path, "-c", curl.path, server.url(path)])
            let ours = try await Program.httpc(["-sS", "-b", httpc.path, "-c", httpc.path, server.url(path)])
            guard theirs.status == 0, ours.status == 0 else {
                throw SetupFailure("curl \(theirs.status), httpc \(ours.status): \(theirs.errors) \(ours.errors)")
            }
            return (theirs.text, ours.text)
        }

        private static func set(_ field: String) -> Set<String> {
            Set(field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
        }

        private static func encode(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        }
    }
}

/// curl with a cookie file, one process for each visit.
private struct CurlCookies {
    let server: RealServer
    let file: URL

    init(server: RealServer) async throws {
        self.server = server
        file = try await RealServers.shared.directory().file("cookies", [])
    }

    func visit(_ text: String) async throws -> String {
        guard let url = URL(string: text), let host = url.host() else { throw SetupFailure("no URL: \(text)") }
        let port = server.port(url.scheme == "https" ? .third : .plain)
        let rest = text.dropFirst("\(url.scheme ?? "")://\(host)".count)
        let outcome = try await Program.run(
            "/usr/bin/curl",
            [
                "-sS", "--noproxy", "*", "-k", "-b", file.path, "-c", file.path, "--connect-to", "::127.0.0.1:\(port)",
                "\(url.scheme ?? "")://\(host):\(port)\(rest)",
            ])
        guard outcome.status == 0 else { throw SetupFailure("curl: \(outcome.errors)") }
        return outcome.text.hasPrefix("<") ? "" : outcome.text
    }
}

/// A manager whose transport resolves every host to the test server.
private struct OurCookies {
    let manager: HttpConversationManager

    init(server: RealServer, suffixes: PublicSuffixList?) async throws {
        let session = HttpSession(cookies: CookieStore(suffixes: suffixes))
        let transport = EverythingIsLocal(server: server, transport: try await Library.transport())
        manager = HttpConversationManager(
            transport: transport, configuration: HttpConversationManager.Configuration(session: session))
    }

    func visit(_ text: String) async throws -> String {
        let response = try await manager.data(for: HTTPRequest(.get, text))
        return response.text.hasPrefix("<") ? "" : response.text
    }
}

private struct EverythingIsLocal: HTTPTransport {
    let server: RealServer
    let transport: NIOTransport
    var capabilities: TransportCapabilities { transport.capabilities }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let port = request.target.origin.scheme == .https ? RealServer.Port.third : .plain
        return try await transport.send(
            TransportRequest(
                target: TargetURL(server.url(request.target.requestTarget, port)), method: request.method,
                headerFields: request.headerFields, body: request.body, options: request.options))
    }

    func shutdown() async { await transport.shutdown() }
}
