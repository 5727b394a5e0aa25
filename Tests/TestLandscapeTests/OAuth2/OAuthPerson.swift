import Foundation
import TestLandscape

/// A user with a browser (curl and a cookie file), and the client that redirected them.
struct OAuthPerson {
    /// The verifier of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let loopback = "http://127.0.0.1:49152/callback"

    let landscape: Landscape
    let origin: LandscapeOrigin
    let cookies: TemporaryFile

    init(_ landscape: Landscape, _ origin: LandscapeOrigin = .main) throws {
        self.landscape = landscape
        self.origin = origin
        cookies = try TemporaryFile("cookies")
    }

    // MARK: The browser

    func open(_ path: String, _ parameters: [String: String] = [:]) async throws -> OAuthAnswer {
        try await curl(["-b", cookies.path, "-c", cookies.path, "-G"] + Self.arguments(parameters), path)
    }

    func submit(_ path: String, _ parameters: [String: String]) async throws -> OAuthAnswer {
        try await curl(["-b", cookies.path, "-c", cookies.path] + Self.arguments(parameters), path)
    }

    /// Opens the authorization endpoint like the client; nil removes a parameter.
    func authorize(_ changes: [String: String?] = [:]) async throws -> OAuthAnswer {
        let standard: [String: String?] = [
            "response_type": "code", "client_id": "native", "redirect_uri": Self.loopback, "state": "a state/ü",
            "code_challenge": Self.challenge, "code_challenge_method": "S256", "scope": "openid read",
        ]
        return try await open("/oauth2/authorize", standard.merging(changes) { $1 }.compactMapValues { $0 })
    }

    /// Submits the login form in the answer.
    func logIn(
        _ form: OAuthAnswer, user: String = "alice", password: String = "wonderland",
        path: String = "/oauth2/authorize"
    ) async throws -> OAuthAnswer {
        try await submit(path, ["csrf": form.csrf ?? "none", "username": user, "password": password])
    }

    /// Logs in and returns a code.
    func code(_ changes: [String: String?] = [:]) async throws -> String {
        try await logIn(try await authorize(changes)).parameter("code") ?? "no code"
    }

    // MARK: The client

    /// Posts to the token endpoint or one of its neighbours.
    func post(
        _ parameters: [String: String], to path: String = "/oauth2/token", _ arguments: [String] = []
    ) async throws -> OAuthAnswer {
        try await curl(Self.arguments(parameters) + arguments, path)
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> OAuthAnswer {
        let standard: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.loopback, "client_id": "native",
            "code_verifier": Self.verifier,
        ]
        return try await post(standard.merging(changes) { $1 }.compactMapValues { $0 })
    }

    func refresh(_ token: String?, client: String = "native") async throws -> OAuthAnswer {
        try await post(["grant_type": "refresh_token", "refresh_token": token ?? "none", "client_id": client])
    }

    func password(_ changes: [String: String] = [:]) async throws -> OAuthAnswer {
        let standard = ["grant_type": "password", "username": "alice", "password": "wonderland", "client_id": "native"]
        return try await post(standard.merging(changes) { $1 })
    }

    /// The status of a resource with the token.
    func status(_ token: String?, _ path: String = "/api/page") async throws -> Int {
        try await curl(["-H", "Authorization: Bearer \(token ?? "none")"], path).status
    }

    func curl(_ arguments: [String], _ path: String) async throws -> OAuthAnswer {
        OAuthAnswer(try await Curl.run(["-k", "-i"] + arguments + [landscape.urlString(origin, path)]).text)
    }

    private static func arguments(_ parameters: [String: String]) -> [String] {
        parameters.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
    }
}
