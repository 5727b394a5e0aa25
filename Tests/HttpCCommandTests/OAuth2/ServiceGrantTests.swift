import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Profiles of services that act for a person, tokens bound to a key, and the end of a session.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ServiceGrantTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let service = "client-id = \"service\"\nclient-secret-env = \"SECRET\"\n"

    private func write(_ keys: String) throws {
        let text = """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.oauth2]
            issuer = "\(landscape.issuer())"
            \(keys)
            """
        try sandbox.write(text, to: "config/httpc/config.toml")
    }

    @Test func aTokenIsExchangedInOneRun() async throws {
        let incoming = try #require(landscape.issueTokens(client: "native"))
        let service = try #require(landscape.issueTokens(client: "service", user: nil))
        try sandbox.write(service.accessToken + "\n", to: "config/httpc/actor")
        try write(
            Self.service
                + "grant = \"token-exchange\"\nsubject-token-env = \"INCOMING\"\nactor-token-file = \"actor\"\n"
                + "audiences = [\"orders\"]\nresources = [\"urn:orders\"]")
        let secrets = ["SECRET": "service-secret", "INCOMING": incoming.accessToken]
        let outcome = try await sandbox.httpc(["-v", landscape.urlString(.main, "/api/1")], environment: secrets)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains(#""user":"alice""#) && outcome.text.contains(#""actor":"service""#))
        #expect(outcome.text.contains("urn:orders"))
        #expect(outcome.errors.contains("in exchange for another token"))
        for secret in secrets.values + [service.accessToken] {
            #expect(Canary.forms(of: secret, in: outcome.errors) == [])
        }
        // The new token is not kept: the next run may act for somebody else.
        let bob = try #require(landscape.issueTokens(client: "native", user: "bob"))
        let other = secrets.merging(["INCOMING": bob.accessToken]) { $1 }
        let second = try await sandbox.httpc([landscape.urlString(.main, "/api/2")], environment: other)
        #expect(second.text.contains(#""user":"bob""#), "\(second.errors)")
        let login = try await sandbox.httpc(["login", "--profile", "work"], environment: secrets)
        #expect(login.status == 2 && login.errors.contains("not kept"), "\(login.errors)")
    }

    @Test func assertionsComeFromTheProfile() async throws {
        let assertion = Data(try landscape.samlAssertion().utf8).base64EncodedString()
        try write(
            Self.service + "grant = \"saml2-bearer\"\nassertion-env = \"ASSERTION\"")
        let secrets = ["SECRET": "service-secret", "ASSERTION": assertion]
        let outcome = try await sandbox.httpc([landscape.urlString(.main, "/api/1")], environment: secrets)
        #expect(outcome.text.contains(#""user":"alice""#), "\(outcome.errors)")
    }

    @Test func aServiceAccountSignsItsAssertion() async throws {
        try sandbox.write(landscape.certificates.assertionKeyPEM, to: "config/httpc/key.pem")
        try write(
            Self.service
                + "grant = \"jwt-bearer\"\nassertion-key = \"key.pem\"\nassertion-key-id = \"signer-1\"\n"
                + "assertion-issuer = \"signer\"\nusername = \"alice\"")
        let outcome = try await sandbox.httpc(
            [landscape.urlString(.main, "/api/1")], environment: ["SECRET": "service-secret"])
        #expect(outcome.text.contains(#""user":"alice""#), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("grant = \"jwt-bearer\"", "assertion-env"), ("grant = \"saml2-bearer\"", "assertion-file"),
        ("grant = \"token-exchange\"", "subject-token-env"),
        ("grant = \"jwt-bearer\"\nassertion-key = \"k\"", "username"),
        ("grant = \"code\"\nmax-age = \"soon\"", "max-age"), ("grant = \"code\"\ndpop = \"yes\"", "dpop"),
        ("grant = \"code\"\nresources = [\"here\"]", "resources"),
        ("grant = \"code\"\nactor-token-type = \"jwt\"", "actor-token-type"),
        ("grant = \"code\"\n[profiles.work.oauth2.parameters]\nstate = \"x\"", "state"),
        (
            "grant = \"password\"\nusername = \"a\"\npassword-env = \"A\"\n[profiles.work.oauth2.parameters]\nscope = \"x\"",
            "scope"
        ),
        ("grant = \"token-exchange\"\nsubject-token-env = \"A\"\nsubject-token-type = \"x\"", "subject-token-type"),
    ])
    func whatIsMissingIsNamed(keys: String, named: String) async throws {
        try write("client-id = \"native\"\n" + keys)
        let outcome = try await sandbox.httpc(landscape.urlString(.main, "/api/1"))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(named), "\(outcome.errors)")
    }

    /// The key is in the vault with the tokens; another program cannot use the token.
    @Test func tokensAreBoundToAKeyAcrossRuns() async throws {
        landscape.oauthRule.demandsNonces = true
        try write(
            "client-id = \"native\"\ngrant = \"password\"\nusername = \"alice\"\npassword-env = \"PASSWORD\"\n"
                + "dpop = \"required\"\nscopes = [\"openid\", \"read\"]")
        let secrets = ["PASSWORD": "wonderland"]
        for number in 1...2 {
            let outcome = try await sandbox.httpc(
                ["-vv", landscape.urlString(.main, "/api/\(number)")], environment: secrets)
            #expect(outcome.text.contains(#""isBound":true"#), "\(outcome.errors)")
            #expect(!outcome.errors.contains("eyJ"))
        }
        #expect(landscape.oauthCounters.grants["password"] == 1)
        #expect(landscape.oauthCounters.boundTokensAsBearer == 0)
        let token = try await sandbox.httpc("tokens", "--profile", "work", "--access-token")
        #expect(token.status == 67 && token.text.isEmpty)
        #expect(token.errors.contains("bound to a key"), "\(token.errors)")
        let out = try await sandbox.httpc(["logout", "--profile", "work"], environment: secrets)
        #expect(out.status == 0, "\(out.errors)")
        #expect(out.errors.contains("session there is ended"), "\(out.errors)")
        #expect(landscape.oauthCounters.endedSessions == 1)
    }
}
