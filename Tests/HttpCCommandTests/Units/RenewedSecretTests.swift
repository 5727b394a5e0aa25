import Foundation
import HTTPTypes
import HttpC
import HttpConversationTesting
import Synchronization
import TestSupport
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// The secrets and assertions of a profile's OAuth2, in a process that goes on as a relay does.
@Suite(.timeLimit(.minutes(1))) struct RenewedSecretTests {
    /// A token endpoint, and an API that accepts the last token once.
    private final class Server: Sendable {
        private struct State {
            /// The only secret that is right; nil: any.
            var secret: String?
            var sent: [String] = []
            var token: String?
        }

        private let state = Mutex(State())
        /// The error for a wrong secret.
        let error: String
        /// The parameter of the form that has the secret; nil: it is the client's, by Basic.
        let parameter: String?
        private let status: HTTPResponse.Status

        init(error: String, parameter: String?, _ status: HTTPResponse.Status = .badRequest) {
            (self.error, self.parameter, self.status) = (error, parameter, status)
        }

        /// The secrets that the token endpoint got.
        var sent: [String] { state.withLock(\.sent) }
        func accept(_ secret: String) { state.withLock { $0.secret = secret } }

        func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
            let authorization = request.headerFields[.authorization] ?? ""
            return state.withLock { state in
                guard request.target.path == "/token" else {
                    defer { state.token = nil }
                    return state.token.map { authorization == "Bearer \($0)" } == true
                        ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Bearer"])
                }
                let secret = secret(in: request, authorization)
                state.sent.append(secret)
                let fields: HTTPFields = [.contentType: "application/json"]
                guard state.secret == nil || state.secret == secret else {
                    return .init(status, fields, body: "{\"error\":\"\(error)\"}")
                }
                let token = "t\(state.sent.count)"
                state.token = token
                return .init(.ok, fields, body: "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\"}")
            }
        }

        private func secret(in request: TransportRequest, _ authorization: String) -> String {
            guard let parameter else {
                let pair = Data(base64Encoded: String(authorization.dropFirst("Basic ".count))) ?? Data()
                return String(decoding: pair, as: UTF8.self).split(separator: ":").last.map(String.init) ?? ""
            }
            guard case .bytes(let bytes) = request.body?.kind else { return "" }
            let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "&")
            return pairs.first { $0.hasPrefix("\(parameter)=") }.map { String($0.dropFirst(parameter.count + 1)) } ?? ""
        }
    }

    private static let head = """
        [profiles.a]
        match = ["https://api.example.com/"]
        [profiles.a.oauth2]
        token-endpoint = "https://auth.example.com/token"
        client-id = "c"

        """

    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func support(_ keys: String) throws -> ProfileOAuth2Support {
        let parser = ProfileParser(
            shownPath: "config.toml", directory: sandbox.path("") + "/", home: nil, isPrivate: true)
        let profile = try #require(try parser.parse(Self.head + keys).first)
        let diagnostics = Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil)
        return try ProfileOAuth2Support(
            profile, try #require(profile.oauth2), certificate: nil,
            presenter: DevicePresenter(profile: profile, diagnostics: diagnostics))
    }

    private func manager(_ keys: String, _ server: Server) throws -> HttpConversationManager {
        let support = try support(keys)
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = InMemoryTokenStorage()
        configurator.add(oauth2: support)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        configuration.observers.add(support)
        return HttpConversationManager(
            transport: ScriptedTransport { request, _ in server.answer(request) }, configuration: configuration)
    }

    private func get(_ manager: HttpConversationManager) async -> Int? {
        try? await manager.data(for: HTTPRequest(.get, "https://api.example.com/")).status.code
    }

    @Test(arguments: [
        ("invalid_grant", HTTPResponse.Status.badRequest, true), ("unauthorized", .unauthorized, true),
        ("invalid_client", .badRequest, false),
    ])
    func aRenewedSecretIsReadAfterARefusal(error: String, status: HTTPResponse.Status, isPassword: Bool) async throws {
        let file = try sandbox.write("old\n", to: "secret")
        let server = Server(error: error, parameter: isPassword ? "password" : nil, status)
        let keys =
            isPassword
            ? "grant = \"password\"\nusername = \"alice\"\npassword-file = \"\(file)\""
            : "grant = \"client-credentials\"\nclient-secret-file = \"\(file)\""
        let manager = try manager(keys, server)
        server.accept("old")
        #expect(await get(manager) == 200)
        server.accept("new")
        #expect(await get(manager) == nil)
        try sandbox.write("new\n", to: "secret")
        // The secret is read after the refusal, so the file may be written after that.
        #expect(await get(manager) == 200)
        #expect(server.sent == ["old", "old", "new"])
    }

    #if os(Linux)
    /// A server with replay protection refuses an assertion that it has seen (RFC 7523 §3, item 7).
    @Test func eachGrantHasAnAssertionOfItsOwn() async throws {
        let runs = sandbox.path("runs")
        let server = Server(error: "invalid_grant", parameter: "assertion")
        let script = "echo run >> '\(runs)'; echo a.b.$(wc -l < '\(runs)')"
        let manager = try manager(
            "grant = \"jwt-bearer\"\nassertion-command = [\"sh\", \"-c\", \"\(script)\"]", server)
        for _ in 0..<3 { #expect(await get(manager) == 200) }
        #expect(server.sent == ["a.b.1", "a.b.2", "a.b.3"])
    }

    /// Identity providers write assertions in several lines, and `base64` wraps its output.
    @Test(arguments: ["assertion-file = \"a.xml\"", "assertion-command = [\"cat\", \"PATH\"]", "BASE64"])
    func assertionsMayHaveSeveralLines(keys: String) async throws {
        let xml = """
            <Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" Version="2.0">
              <Conditions>
                <AudienceRestriction>
                  <Audience>https://auth.example.com/token</Audience>
                </AudienceRestriction>
              </Conditions>
            </Assertion>
            """
        let path = try sandbox.write(xml + "\n", to: "a.xml")
        let server = Server(error: "invalid_grant", parameter: "assertion")
        let keys = keys.replacing(
            "BASE64", with: "assertion-command = [\"sh\", \"-c\", \"printf %s \\\"$(cat 'PATH')\\\" | base64\"]"
        )
        .replacing("PATH", with: path)
        let manager = try manager("grant = \"saml2-bearer\"\n" + keys, server)
        #expect(await get(manager) == 200)
        let sent = try #require(server.sent.first).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - sent.utf8.count % 4) % 4)
        #expect(Data(base64Encoded: sent + padding) == Data(xml.utf8))
    }
    #endif

    /// Stored tokens are found by the support's name.
    @Test func anotherUserHasOtherTokens() throws {
        let users = try ["", "username = \"alice\"", "username = \"bob\""].map {
            try support("grant = \"code\"\nauthorization-endpoint = \"https://auth.example.com/a\"\n" + $0)
        }
        #expect(users.map(\.name).first == "https://auth.example.com/token c")
        #expect(Set(users.map(\.name)).count == 3)
    }

    @Test(arguments: [true, false]) func dpopIsRequiredOfStoredTokens(isRequired: Bool) throws {
        let support = try support(
            "grant = \"code\"\nauthorization-endpoint = \"https://auth.example.com/a\"\n"
                + (isRequired ? "dpop = \"required\"" : ""))
        #expect(support.requiresBoundTokens == isRequired)
    }
}
