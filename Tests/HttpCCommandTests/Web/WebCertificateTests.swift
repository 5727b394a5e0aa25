import Foundation
import HttpC
import LandscapeSupport
import TestSupport
import Testing

/// Client certificates of a profile or of the command line during a login.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct WebCertificateTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// A profile for a service provider that asks for a certificate; its identity provider does, too.
    private struct CertificateProfile {
        let landscape: Landscape
        let origin: LandscapeOrigin

        func write(cert: String?, tables: String = "") throws -> Sandbox {
            let sandbox = try Sandbox()
            let (own, provider) = (landscape.urlString(origin, ""), landscape.identityProvider(for: origin))
            let alice = try landscape.certificates.client("alice")
            try Data(try alice.pkcs12(passphrase: "secret")).write(to: URL(filePath: sandbox.path("alice.p12")))
            try sandbox.write(
                """
                [profiles.work]
                match = ["\(own)/otp", "\(own)/saml"]
                answer-origins = ["\(own)", "\(provider)"]
                cacert = "\(try sandbox.authority(of: landscape))"
                \(cert.map { "[profiles.work.cert]\nfile = \"\(sandbox.path("alice.p12"))\"\n\($0)" } ?? "")
                [profiles.work.saml2]
                finish-endpoint = "/SAMLAuthLauncher"
                finish-parameter = "finishEndpointParam"
                [profiles.work.otp]
                \(tables)
                """, to: "config/httpc/config.toml")
            return sandbox
        }

        var both: String {
            "origins = [\"\(landscape.urlString(origin, ""))\", \"\(landscape.identityProvider(for: origin))\"]"
        }

        /// The subjects of the certificates that a host got, one for each request.
        func shown(to host: String) -> Set<String?> {
            Set(
                landscape.requests(origin: origin).filter { $0.values(of: "host").first?.hasPrefix(host) == true }
                    .map(\.certificate))
        }
    }

    @Test(arguments: [["--web", "terminal"], ["--headless"]]) func certificateThenSAML2ThenCode(shown: [String])
        async throws
    {
        let profile = CertificateProfile(landscape: landscape, origin: .mutual)
        let sandbox = try profile.write(
            cert: "passphrase-env = \"PASSPHRASE\"\n\(profile.both)", tables: WebProfile.answers)
        let outcome = try await unattended(shown + [landscape.urlString(.mutual, "/otp/saml/x")], sandbox)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("[\"SAML2\",\"OTP\"]"), "\(outcome.text)")
        for host in ["127.0.0.1", "localhost"] { #expect(profile.shown(to: host) == ["CN=alice"]) }
    }

    @Test func certificateThenBasic() async throws {
        let profile = CertificateProfile(landscape: landscape, origin: .mutual)
        let sandbox = try profile.write(cert: "passphrase-env = \"PASSPHRASE\"")
        let outcome = try await unattended(
            [
                "-u", "alice:wonderland", landscape.urlString(.mutual, "/otp/basic/x"), "-o", "/dev/null", "-w",
                "%{http_code}",
            ],
            sandbox)
        #expect(profile.shown(to: "127.0.0.1") == ["CN=alice"], "\(outcome.errors)")
    }

    /// Without `origins` the certificate is for the profile's match.
    @Test func theIdentityProviderHasToBeNamed() async throws {
        let profile = CertificateProfile(landscape: landscape, origin: .mutual)
        let sandbox = try profile.write(cert: "passphrase-env = \"PASSPHRASE\"", tables: WebProfile.answers)
        let url = landscape.urlString(.mutual, "/saml/post-post/x")
        let outcome = try await unattended(["--web", "terminal", url], sandbox)
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(outcome.errors.contains("demands a client certificate"), "\(outcome.errors)")
        #expect(outcome.errors.contains("origins"), "\(outcome.errors)")
        #expect(profile.shown(to: "localhost").isEmpty)
    }

    @Test(arguments: [true, false]) func onTheCommandLine(isNamed: Bool) async throws {
        let profile = CertificateProfile(landscape: landscape, origin: .mutualOptional)
        let sandbox = try profile.write(cert: nil, tables: WebProfile.answers)
        let more = isNamed ? ["--cert-origin", landscape.identityProvider(for: .mutualOptional)] : []
        let outcome = try await unattended(
            ["--web", "terminal", "--cert", sandbox.path("alice.p12") + ":secret"] + more
                + [landscape.urlString(.mutualOptional, "/saml/post-post/x")], sandbox)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(profile.shown(to: "127.0.0.1") == ["CN=alice"])
        #expect(profile.shown(to: "localhost") == [isNamed ? "CN=alice" : nil])
    }

    /// The prompt for the passphrase appears while the login has the terminal.
    @Test func thePassphraseIsAskedForOnTheWay() async throws {
        let profile = CertificateProfile(landscape: landscape, origin: .mutualOptional)
        let provider = landscape.identityProvider(for: .mutualOptional)
        let sandbox = try profile.write(cert: "origins = [\"\(provider)\"]")
        let url = landscape.urlString(.mutualOptional, "/saml/post-post/x")
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) --web terminal \(url); echo status=$?", in: sandbox,
            environment: ["NO_COLOR": "1"])
        for (question, text) in [
            ("passphrase of the client certificate \"alice.p12\", for \(provider): ", "secret"),
            ("User name: ", "alice"), ("Password: ", "wonderland"),
        ] {
            try await command.answer(question, text)
        }
        let outcome = try await command.outcome(after: "status=")
        #expect(outcome.text.contains("status=0"), "\(outcome.text)")
        #expect(outcome.text.contains("\"user\": \"alice\""))
        #expect(!outcome.text.contains("secret"))
        #expect(profile.shown(to: "127.0.0.1") == [nil] && profile.shown(to: "localhost") == ["CN=alice"])
    }

    /// `httpc login`: the token endpoint gets the certificate like any other server.
    @Test(arguments: [true, false]) func tokensBehindTheCertificate(isNamed: Bool) async throws {
        let sandbox = try Sandbox()
        let alice = try landscape.certificates.client("alice")
        let pem = try sandbox.write(alice.certificatePEM + alice.keyPEM, to: "alice.pem")
        let server = landscape.urlString(.mutual, "")
        try sandbox.write(
            """
            [profiles.api]
            match = ["\(landscape.urlString(.main, ""))/api"]
            cacert = "\(try sandbox.authority(of: landscape))"
            [profiles.api.cert]
            file = "\(pem)"
            \(isNamed ? "origins = [\"\(server)\"]" : "")
            [profiles.api.oauth2]
            grant = "client-credentials"
            token-endpoint = "\(server)/oauth2/token"
            client-id = "machine"
            client-secret-env = "SECRET"
            """, to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc("login", "--profile", "api", environment: ["SECRET": "machine-secret"])
        #expect((outcome.status == 0) == isNamed, "\(outcome.errors)")
        let asked = landscape.requests(path: "/oauth2/token", origin: .mutual)
        #expect(asked.map(\.certificate) == (isNamed ? ["CN=alice"] : []))
    }

    private func unattended(_ arguments: [String], _ sandbox: Sandbox) async throws -> RunningCommand.Outcome {
        try await sandbox.withoutTerminal(
            arguments, environment: WebProfile.environment.merging(["PASSPHRASE": "secret"]) { $1 })
    }
}
