#if os(Linux)
import Foundation
import HttpC
import HttpConvFormats
import HttpConversationNIO
import LandscapeSupport
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// The pages of the logins that were recorded in WebKit's engine, in Chromium: the same policy ends them in the same
/// way.
extension ChromiumTests {
    @Suite(.landscape) struct RecordedPagesTests {
        private let landscape: Landscape
        private let bench: BrowserBench
        private let sp: String
        private let idp: String
        private let bodies: [String: String]

        init() throws {
            landscape = try .current
            bench = try BrowserBench(landscape)
            sp = String(landscape.urlString(.raw, "/").dropLast())
            idp = sp.replacing("127.0.0.1", with: "localhost")
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "WebKit/pages.json")
            let pages = try #require(JSONValue(Array(try Data(contentsOf: file)))?.elements)
            bodies = Dictionary(
                pages.map { ($0["path"]?.text ?? "", $0["body"]?.text ?? "") }, uniquingKeysWith: { first, _ in first })
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

        /// SAML2 by three bindings, OAuth2 by three kinds of redirect URI, and a one-time code without the
        /// authenticator.
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

        /// Returns a code as the application does whose link was followed.
        private struct Authenticator: ExternalURLOpener {
            let schemes: CustomURLSchemeManagement

            func open(_ url: URL) async throws {
                #expect(url.absoluteString == "sapauthenticator://x?x-success=app.xcallbackurl://cb")
                let answer = try #require(URL(string: "app.xcallbackurl://cb?passcode=123456"))
                #expect(schemes.handleOpenURL(answer) == .delivered)
            }
        }

        /// The link on the page opens the authenticator, and its code goes into the form.
        @Test func aCodeOfTheAuthenticatorEndsALogin() async throws {
            let (callbacks, schemes) = (PasscodeCallbacks(parameter: "passcode"), CustomURLSchemeManagement())
            schemes.addHandler(callbacks)
            let authenticator = CodeAuthenticator(
                origin: try TargetURL(idp).origin, callbacks: callbacks, opener: Authenticator(schemes: schemes))
            let outcome = try await bench.perform(
                bench.login(
                    from: URL(string: "\(idp)/otp/link"), to: "/otp/form", returnsCookies: false,
                    authenticator: authenticator))
            #expect(outcome.finish.value == "\(idp)/otp/form?finished=true")
            let sent = landscape.requests(path: "/otp/check", method: "POST")
            #expect(sent.map { $0.values(of: "content-length") } == [["\("passcode=123456".utf8.count)"]])
        }

        /// A certificate for one server.
        private struct Certificates: ClientCertProvider {
            let origin: Origin
            let identity: ClientIdentity

            func serves(_ destination: CredentialDestination) -> Bool { destination.target.origin == origin }
            func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
                .identity(identity)
            }
        }

        /// A server on the way asks for a certificate in its handshake.
        @Test func aCertificateInsideTheLogin() async throws {
            let secure = try TargetURL(landscape.url(.mutual)).origin
            let alice = try landscape.certificates.client("alice")
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(
                clientCertificate: Certificates(
                    origin: secure,
                    identity: try .pem(certificates: Array(alice.certificatePEM.utf8), key: Array(alice.keyPEM.utf8))))
            var bench = bench
            bench.configuration.apply(configurator)
            bench.options.authorityPEM = landscape.certificates.authorityPEM
            var transport = NIOTransport.Configuration()
            transport.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
            bench.transport = NIOTransport(configuration: transport)
            bench.redirect("/certificate/start", to: "\(secure)/redirect/302?to=\(sp)/certificate/acs")
            let outcome = try await bench.perform(try login("certificate/start", on: sp, to: "/certificate/done"))
            #expect(outcome.finish.value == "\(sp)/certificate/done")
            #expect(landscape.requests(path: "/redirect/302").map(\.certificate) == ["CN=alice"])
        }

        /// A page that calls, opens files and other applications, and claims a result, gets nowhere.
        @Test func aHostilePageGetsNowhere() async throws {
            let pages = try #require(bodies["/hostile"]).replacing(
                "</script>", with: "; setTimeout(() => location.href = '/callback', 3000)</script>")
            bench.page("/hostile", pages)
            let outcome = try await bench.perform(
                WebLogin(
                    .oauth2, start: try TargetURL("\(idp)/hostile"), cookieTargets: [], returnsCookies: false
                ) { $0.hasPrefix("com.example.app:") || $0.hasSuffix("/callback") })
            #expect(outcome.finish.value == "\(idp)/callback")
        }

        @Test func aLoginIsCancelled() async throws {
            let task = Task { try await bench.perform(try login("cancelled", on: idp, to: "/finish")) }
            try await landscape.waitFor(count: 1, path: "/cancelled")
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }

        @Test(arguments: ["userinfo", "refused"]) func aLoginFails(_ start: String) async throws {
            let error = try await bench.failure(try login(start, on: idp, to: "/finish"))
            #expect(error.code == .pageFailed, "\(error)")
            #expect(!"\(error)".contains("secret"))
        }
    }
}
#endif
