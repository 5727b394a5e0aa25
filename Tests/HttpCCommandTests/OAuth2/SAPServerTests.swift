import Foundation
import HttpC
import TestLandscape
import TestSupport
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// SAP's minimum configuration, the server's URL and a client id, from the command line.
@Suite(.timeLimit(.minutes(1)), .serialized) struct SAPServerTests {
    private static let password = ["PASSWORD": "wonderland"]
    private static let answers = ["--answer", "username=alice", "--answer-env", "password=PASSWORD"]

    /// Writes a profile with no other keys, for a path of the landscape whose server knows the client.
    private func install(
        _ path: String, _ landscape: Landscape, _ origin: LandscapeOrigin = .main, in sandbox: Sandbox
    ) throws -> String {
        let server = landscape.urlString(origin, path)
        landscape.addOAuthClient(
            OAuthClient(id: "mobile", redirectURIs: [server], grants: [.authorizationCode, .refreshToken]))
        try sandbox.write(
            "[profiles.mobile.oauth2]\nsap-server = \"\(server)\"\nclient-id = \"mobile\"\n",
            to: "config/httpc/config.toml")
        return server
    }

    /// 401 with a Bearer challenge, and 400 with a field of SAP's own. Over http the redirect URI is not a listener's.
    @Test(arguments: ["/sap", "/sap400"], [LandscapeOrigin.main, .secure])
    func logsInUnattended(path: String, origin: LandscapeOrigin) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let server = try install(path, landscape, origin, in: sandbox)
            let authority = try sandbox.authority(of: landscape)
            let outcome = try await sandbox.withoutTerminal(
                ["--cacert", authority] + Self.answers + ["\(server)/odata"], environment: Self.password)
            #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
            #expect(landscape.oauthCounters.logins == 1 && landscape.oauthCounters.tokenRequests == 1)
            // The tokens are stored.
            let next = try await sandbox.httpc("--cacert", authority, "\(server)/other")
            #expect(next.text.contains("\"user\":\"alice\""), "\(next.errors)")
            #expect(landscape.oauthCounters.logins == 1)
        }
    }

    /// Without a display the login is in the terminal, because the system's browser could not return its result.
    @Test func asksAtTheTerminal() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let server = try install("/sap", landscape, in: sandbox)
            let command = try RunningCommand(
                onTerminal: "\(BuiltProduct.httpc) \(server)/odata", in: sandbox, environment: ["NO_COLOR": "1"])
            let origin = landscape.urlString(.main, "")
            try await command.answer("Asked by \(origin): Name: ", "alice")
            try await command.answer("Asked by \(origin): Password: ", "wonderland")
            let outcome = await command.outcome()
            #expect(outcome.text.contains("\"user\": \"alice\""), "\(outcome.text)")
            #expect(landscape.oauthCounters.logins == 1)
        }
    }

    @Test func theSystemsBrowserCannotBringItBack() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let server = try install("/sap", landscape, in: sandbox)
            let outcome = try await sandbox.httpc("--web", "system", "\(server)/odata")
            #expect(outcome.status == 67 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("--web chromium, --web terminal"), "\(outcome.errors)")
            #expect(landscape.count(path: "/sap/odata") == 1)
        }
    }

    @Test func anythingElseGoesWithIt() throws {
        let profile = try parse("redirect-uri = 'http://127.0.0.1:0/callback'\nscopes = ['read']")
        #expect(profile.match.map { $0.url?.absoluteString } == ["https://mobile.example.com/app"])
        #expect(profile.oauth2?.redirectURI == "http://127.0.0.1:0/callback")
        #expect(PreparedAnswers.origins(of: profile).map(\.description).contains("https://mobile.example.com"))
    }

    @Test(arguments: [
        ("issuer = 'https://idp.example.com'", "leave one out"), ("grant = 'device'", "grant = \"code\" only"),
        ("device-authorization-endpoint = 'https://idp.example.com/d'", "leave one out"),
        ("redirect-uri = 'callback'", "redirect URI"),
    ]) func namesTheMistake(text: String, message: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try parse(text) }
        #expect(failure.status == .usage && failure.message.contains(message), "\(failure.message)")
    }

    private func parse(_ text: String) throws -> Profile {
        let parser = ProfileParser(shownPath: "config.toml", directory: "/etc/", home: nil, isPrivate: true)
        let head = "[profiles.a.oauth2]\nsap-server = 'https://mobile.example.com/app/'\nclient-id = 'c'\n"
        return try #require(try parser.parse(head + text).first)
    }
}
