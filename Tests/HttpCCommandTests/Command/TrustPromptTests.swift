import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// The question whether to trust a server without a known authority, on a terminal that `script` provides.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TrustPromptTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func answer(_ answer: String, to options: String) async throws -> String {
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) \(options); echo status=$?", in: sandbox)
        try await command.answer("from now on? (yes/no)", answer)
        return try await command.outcome(after: "status=").text
    }

    @Test func isRememberedByHostAndKey() async throws {
        let url = landscape.urlString(.secure, "/json")
        let refused = try await answer("no", to: url)
        #expect(refused.contains("status=60"), "\(refused)")
        for shown in [
            "CN=localhost", "issued by", "Landscape CA", "fingerprint", "sha256//", "127.0.0.1", "issuer",
        ] {
            #expect(refused.contains(shown), "\(shown): \(refused)")
        }
        let accepted = try await answer("yes", to: url)
        #expect(accepted.contains("greeting"), "\(accepted)")
        #expect(accepted.contains("status=0"))
        // From now on there is no question, with or without a terminal.
        let later = try await sandbox.httpc("-sS", url)
        #expect(later.status == 0, "\(later.errors)")
        #expect(later.text.contains("greeting"))
        let redirected = try await sandbox.httpc("-sS", landscape.urlString(.main, "/redirect/302?to=\(url)"))
        #expect(redirected.status == 0, "\(redirected.errors)")
        // Another server needs another answer.
        let other = try await sandbox.httpc("-sS", landscape.urlString(.secureOther, "/json"))
        #expect(other.status == 60)
    }

    @Test func isKnownToLogins() async throws {
        let base = landscape.urlString(.secure, "")
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(base)/api\"]\n"
                + OAuth2Profile.table("password", landscape).replacing(
                    landscape.issuer(), with: landscape.issuer(.secure)), to: "config/httpc/config.toml")
        let unknown = try await sandbox.httpc("login", environment: OAuth2Profile.secrets)
        #expect(unknown.status == 60, "\(unknown.errors)")
        #expect(try await answer("y", to: "\(base)/json").contains("status=0"))
        let known = try await sandbox.httpc("login", environment: OAuth2Profile.secrets)
        #expect(known.status == 0, "\(known.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    @Test func aChangedKeyIsShownAsOne() async throws {
        let url = landscape.urlString(.secure, "/json")
        _ = try await answer("yes", to: url)
        let pin = "sha256//" + Data(repeating: 1, count: 32).base64EncodedString()
        let known = try JSONEncoder().encode([url.replacingOccurrences(of: "/json", with: ""): pin])
        _ = try await sandbox.withVault(of: ".servers") { vault in
            try await vault.write(Array(known), for: "known servers", in: "httpc")
        }
        #expect(try await sandbox.httpc("-sS", url).status == 60)
        #expect(try await answer("no", to: url).contains("HAS CHANGED"))
    }

    @Test(arguments: [LandscapeOrigin.expired, .wrongName, .secure])
    func withoutATerminalItIsAFailureThatSaysWhy(origin: LandscapeOrigin) async throws {
        let authority = origin == .secure ? [] : ["--cacert", try sandbox.authority(of: landscape)]
        let outcome = try await sandbox.httpc(["-sS"] + authority + [landscape.urlString(origin, "/json")])
        #expect(outcome.status == 60)
        let words = [LandscapeOrigin.expired: "has expired", .wrongName: "wrong.invalid", .secure: "issuer"]
        #expect(outcome.errors.contains(words[origin] ?? "?"), "\(outcome.errors)")
    }
}
