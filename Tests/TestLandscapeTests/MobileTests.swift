import Foundation
import LandscapeSupport
import Testing

/// The mobile server, as seen by an independent client.
@Suite(.landscape, .timeLimit(.minutes(1))) struct MobileTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static let alice = ["-u", "alice:wonderland"]

    private static func connections(_ landscape: Landscape, _ root: String = "/mobile/basic/") -> String {
        landscape.urlString(.main, root + "odata/applications/latest/com.example.app/Connections")
    }

    private static func register(
        _ landscape: Landscape, body: String = "{}", _ more: String...
    ) async throws -> String {
        let arguments = ["-i", "-H", "Content-Type: application/json", "-H", "Accept: application/json", "-d", body]
        return try await Curl.run(alice + arguments + more + [connections(landscape)]).text
    }

    @Test func registersConnections() async throws {
        #expect(try await Curl.status("-d", "{}", Self.connections(landscape)) == 401)
        let text = try await Self.register(landscape)
        let id = try #require(landscape.mobileConnections.first)
        #expect(text.contains("HTTP/1.1 201"))
        #expect(text.contains("Set-Cookie: X-SMP-APPCID=\(id); Path=/"))
        #expect(text.contains("Set-Cookie: X-SMP-SESSID="))
        #expect(text.contains("Location: \(Self.connections(landscape))('\(id)')"))
        #expect(text.contains(#""ApplicationConnectionId":"\#(id)""#))
        #expect(text.contains(#""type":"applications.Connection""#))
        let url = Self.connections(landscape) + "('\(id)')"
        let atom = try await Curl.run(Self.alice + [url]).text
        #expect(atom.hasPrefix("<?xml"))
        #expect(atom.contains("<d:PasswordPolicyMinLength m:type=\"Edm.Int32\">8</d:PasswordPolicyMinLength>"))
        #expect(try await Curl.status("-u", "bob:builder's \"secret\"", url) == 404)
        #expect(
            try await Curl.run(Self.alice + ["-o", "/dev/null", "-w", "%{http_code}", "-X", "DELETE", url]).text
                == "200")
        #expect(try await Curl.run(Self.alice + ["-o", "/dev/null", "-w", "%{http_code}", url]).text == "404")
    }

    /// A request that names an id gets it, unless it belongs to another user.
    @Test func givesTheRequestedConnectionID() async throws {
        #expect(try await Self.register(landscape, "-H", "X-SMP-APPCID: mine").contains(#"Id":"mine""#))
        #expect(try await Self.register(landscape, "-b", "X-SMP-APPCID=cookie").contains(#"Id":"cookie""#))
        let bob = try await Self.register(landscape, "-H", "X-SMP-APPCID: mine", "-u", "bob:builder's \"secret\"")
        #expect(!bob.contains(#"Id":"mine""#))
        #expect(landscape.mobileConnections.count == 3)
        let url = Self.connections(landscape) + "('mine')"
        #expect(
            try await Curl.run(Self.alice + ["-i", "-H", "X-SMP-APPCID: other", url]).text.contains("HTTP/1.1 400"))
    }

    @Test(arguments: ["PUT", "MERGE", "PATCH"]) func changesConnections(method: String) async throws {
        _ = try await Self.register(landscape, body: #"{"Email":"a","PushGroup":"g"}"#, "-H", "X-SMP-APPCID: mine")
        func update(_ body: String, _ type: String = "application/json") async throws -> String {
            let url = Self.connections(landscape) + "('mine')"
            let arguments = ["-i", "-X", method, "-H", "Content-Type: \(type)", "-d", body, url]
            return try await Curl.run(Self.alice + arguments).text
        }
        #expect(try await update(#"{"Email":null,"ApnsPushEnable":true}"#).contains("HTTP/1.1 204"))
        #expect(landscape.mobileProperty("Email", of: "mine") == MobileValue.none)
        #expect(landscape.mobileProperty("ApnsPushEnable", of: "mine") == .flag(true))
        #expect(landscape.mobileProperty("PushGroup", of: "mine") == (method == "PUT" ? nil : .text("g")))
        let refused = [
            (#"{"UserName":"mallory"}"#, "application/json"), ("{", "application/json"), ("{}", "text/plain"),
            ("<entry/>", "application/atom+xml"),
        ]
        for (body, type) in refused { #expect(try await update(body, type).contains("HTTP/1.1 400")) }
        landscape.mobileRule.updateMethods = []
        #expect(try await update("{}").contains("HTTP/1.1 405"))
    }

    @Test func loginsAndPublicAccess() async throws {
        let open = "/mobile/basic/public/odata/applications/v1/com.example.open/Connections"
        let json = ["-H", "Content-Type: application/json", "-d", "{}", "-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try await Curl.run(json + [landscape.urlString(.main, open)]).text == "201")
        let closed = Self.connections(landscape, "/mobile/basic/public/")
        #expect(try await Curl.run(json + [closed]).text == "403")
        let bearer = try await Curl.run(["-i", Self.connections(landscape, "/mobile/bearer/")]).text
        #expect(bearer.contains("WWW-Authenticate: Bearer"))
        let saml = try await Curl.run(["-i", Self.connections(landscape, "/mobile/saml/")]).text
        #expect(saml.contains("SAMLRequest"))
        let cookies = try TemporaryFile("cookies")
        let backEnd = landscape.urlString(.main, "/mobile/basic/com.example.app/")
        let logOut = landscape.urlString(.main, "/mobile/basic/mobileservices/sessions/logout")
        _ = try await Curl.run(Self.alice + ["-c", cookies.path, backEnd])
        #expect(try await Curl.status("-b", cookies.path, backEnd) == 200)
        #expect(try await Curl.status("-b", cookies.path, "-d", "", logOut) == 200)
        #expect(try await Curl.status("-b", cookies.path, backEnd) == 401)
        #expect(landscape.mobileCounters.logOuts == 1)
    }

    /// The server is reached directly and behind a relay server, and the gateway on the other origin.
    @Test func serversAndGatewaysByOrigin() async throws {
        let (path, relay) = (
            "/odata/applications/v4/com.example.app/Connections", "/ias_relay_server/client/rs_client.dll/"
        )
        let expected: [(LandscapeOrigin, String, Int)] = [
            (.main, path, 401), (.main, relay + "farm1" + path, 401), (.main, relay + "farm2" + path, 404),
            (.other, path, 404), (.main, "/sap/bc/ping", 404), (.other, "/sap/bc/ping", 401),
            (.main, "/com.example.app/x", 401), (.main, "/bundles/com.example.app", 401),
        ]
        for (origin, path, status) in expected {
            #expect(try await Curl.status(landscape.urlString(origin, path)) == status, "\(origin) \(path)")
        }
        let ping = ["-i", landscape.urlString(.other, "/sap/bc/ping?sap-client=300")]
        #expect(try await Curl.run(ping).text.contains("realm=\"SAP NetWeaver Application Server [LND/100]\""))
        #expect(try await Curl.run(Self.alice + ping).text.contains("sap-usercontext=sap-client=300"))
        let challenge = try await Curl.run(["-i", landscape.urlString(.main, path)]).text
        #expect(challenge.contains("Set-Cookie: X-SMP-SESSID="))
        let url = landscape.urlString(.main, relay + "farm1" + path)
        let text = try await Curl.run(Self.alice + ["-i", "-H", "Content-Type: application/json", "-d", "{}", url])
            .text
        #expect(text.contains("Location: \(url)('"))
    }

    @Test(arguments: MobileFault.allCases) func faultChangesAnswer(fault: MobileFault) async throws {
        let right = try await Self.register(landscape, "-H", "X-SMP-APPCID: mine")
        let admin = landscape.urlString(.main, "/admin/mobile/fault?kind=\(fault.rawValue)")
        #expect(
            try await Curl.status("-X", "POST", "-H", "X-Landscape-Token: \(landscape.adminToken)", admin) == 200)
        let wrong = try await Self.register(landscape, "-H", "X-SMP-APPCID: mine")
        #expect(wrong.contains("HTTP/1.1 201"))
        #expect(wrong.split(separator: "\r\n\r\n").last != right.split(separator: "\r\n\r\n").last)
    }
}
