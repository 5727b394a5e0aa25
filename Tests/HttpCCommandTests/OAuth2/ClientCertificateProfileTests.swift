import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Certificates and keys of clients: in profiles, in files with passphrases, and stored by the command.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ClientCertificateProfileTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let passphrase = ["PASSPHRASE": "planted-canary"]

    private func setUp(_ landscape: Landscape, in sandbox: Sandbox) async throws {
        _ = try sandbox.authority(of: landscape)
        for name in ["alice", "robot"] {
            let made = try landscape.certificates.client(name)
            try sandbox.write(made.certificatePEM + made.keyPEM + "\n", to: "\(name).pem")
            try Data(made.pkcs12(passphrase: "planted-canary")).write(to: URL(filePath: sandbox.path("\(name).p12")))
        }
        try sandbox.write(landscape.certificates.assertionKeyPEM, to: "plain.key")
        let sealed = try await Program.run(
            "/bin/sh",
            ["-c", "exec openssl pkcs8 -topk8 -in plain.key -out sealed.key -passout pass:planted-canary 2>&1"]
                .map { $0.replacing("plain.key", with: sandbox.path("plain.key")) }
                .map { $0.replacing("sealed.key", with: sandbox.path("sealed.key")) })
        #expect(sealed.status == 0, "\(sealed.text)")
    }

    private func profile(_ text: String, _ landscape: Landscape, in sandbox: Sandbox) throws {
        let text = text.replacing("MUTUAL/", with: landscape.urlString(.mutual))
            .replacing("ISSUER", with: landscape.issuer(.secure)).replacing(
                "SECURE/", with: landscape.urlString(.secure)
            )
            .replacing("FOLDER", with: sandbox.path(""))
        try sandbox.write(
            "[profiles.p]\ncacert = \"\(sandbox.path("ca.pem"))\"\n" + text, to: "config/httpc/config.toml")
    }

    @Test func aKeptCertificateIsShown() async throws {
        try await setUp(landscape, in: sandbox)
        try profile("match = [\"MUTUAL/\"]\n[profiles.p.cert]\nvault = \"work\"", landscape, in: sandbox)
        let url = landscape.urlString(.mutual, "/certificate")
        let before = try await sandbox.httpc(url)
        #expect(before.status == 58)
        #expect(before.errors.contains("certificates import work"), "\(before.errors)")
        let none = try await sandbox.httpc("certificates", "list")
        #expect(none.status == 0 && none.errors == "httpc: there are no certificates.\n", "\(none.errors)")
        let silent = try await sandbox.withoutTerminal("certificates", "import", "work", "alice.p12")
        #expect(silent.status == 58 && silent.errors.contains("Give it with --pass."), "\(silent.errors)")
        let wrong = try await sandbox.httpc("certificates", "import", "work", "alice.p12", "--pass", "no")
        #expect(wrong.status == 58)
        #expect(wrong.errors.contains("passphrase"), "\(wrong.errors)")
        let taken = try await sandbox.httpc(
            "certificates", "import", "work", "alice.p12", "--pass", "planted-canary")
        #expect(taken.status == 0, "\(taken.errors)")
        // The file is no longer needed.
        try FileManager.default.removeItem(atPath: sandbox.path("alice.p12"))
        let shown = try await sandbox.httpc("-v", url)
        #expect(shown.text == "CN=alice\n", "\(shown.errors)")
        let list = try await sandbox.httpc("certificates", "list")
        #expect(list.text.contains("work"))
        #expect(list.text.contains("CN=alice"))
        #expect(try await sandbox.httpc("certificates", "remove", "work").status == 0)
        #expect(try await sandbox.httpc("certificates", "remove", "work").status == 2)
        #expect(try await sandbox.httpc(url).status == 58)
        for outcome in [wrong, taken, shown, list] {
            #expect(Canary.forms(of: "planted-canary", in: outcome.text + outcome.errors) == [])
        }
    }

    @Test(arguments: [
        ("robot.p12", "passphrase-env = \"PASSPHRASE\"", 0), ("robot.pem", "", 0),
        ("robot.p12", "passphrase = \"wrong\"", 58), ("alice.pem", "", 67),
    ]) func aCertificateAuthenticatesTheClient(file: String, more: String, status: Int32) async throws {
        try await setUp(landscape, in: sandbox)
        try profile(
            """
            match = ["MUTUAL/api/"]
            [profiles.p.cert]
            file = "FOLDER/\(file)"
            \(more)
            [profiles.p.oauth2]
            grant = "client-credentials"
            issuer = "ISSUER"
            client-id = "robot"
            client-auth = "tls_client_auth"
            """, landscape, in: sandbox)
        for arguments in [[landscape.urlString(.mutual, "/api/x")], ["login", "--profile", "p"]] {
            let outcome = try await sandbox.httpc(arguments, environment: Self.passphrase)
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(Canary.forms(of: "planted-canary", in: outcome.text + outcome.errors) == [])
        }
        #expect(landscape.oauthCounters.grants["client_credentials"] == (status == 0 ? 2 : nil))
        if status == 0 {
            let again = try await sandbox.httpc(
                landscape.urlString(.mutual, "/api/again"), environment: Self.passphrase)
            #expect(again.text.contains("robot"), "\(again.errors)")
            #expect(landscape.count(path: "/api/again") == 1)
        }
    }

    @Test(arguments: [
        ("sealed.key", "client-key-passphrase-env = \"PASSPHRASE\"", 0), ("plain.key", "", 0),
        ("sealed.key", "client-key-passphrase = \"wrong\"", 58), ("ca.pem", "", 58), ("missing.key", "", 58),
        ("sealed.key", "", 58),
    ]) func aKeyAuthenticatesTheClient(file: String, more: String, status: Int32) async throws {
        try await setUp(landscape, in: sandbox)
        try profile(
            """
            match = ["SECURE/api/"]
            [profiles.p.oauth2]
            grant = "client-credentials"
            issuer = "ISSUER"
            client-id = "signer"
            client-auth = "private_key_jwt"
            client-key = "FOLDER/\(file)"
            \(more)
            """, landscape, in: sandbox)
        for arguments in [["-v", landscape.urlString(.secure, "/api/x")], ["login", "-v", "--profile", "p"]] {
            let outcome = try await sandbox.httpc(arguments, environment: Self.passphrase)
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(status == 0 || outcome.errors.contains("client key"), "\(outcome.errors)")
            #expect(Canary.forms(of: "planted-canary", in: outcome.text + outcome.errors) == [])
            #expect(!outcome.errors.contains("eyJ"))
        }
        #expect(landscape.oauthCounters.invalidClients == 0)
    }

    @Test func theLandscapeWritesCertificates() async throws {
        let command = try RunningCommand(
            ["landscape", "--ca-out", "ca.pem", "--certificates-out", "made"], in: sandbox)
        try await command.waitForOutput("Running until Ctrl-C")
        let line = command.outputSoFar.split(separator: "\n").first { $0.contains(" mutual ") }
        let base = try #require(line?.split(separator: " ").dropFirst().first)
        for (certificate, text) in [
            ("made/alice.p12:landscape", "CN=alice\n"), ("made/bob.pem", "CN=bob\n"), ("made/alice-past.pem", ""),
            ("made/alice-future.p12:landscape", ""), ("made/alice-revoked.pem", ""),
        ] {
            let answer = try await sandbox.httpc("--cacert", "ca.pem", "--cert", certificate, "\(base)/certificate")
            #expect(answer.text == text, "\(certificate): \(answer.errors)")
            #expect(answer.status == (text.isEmpty ? 58 : 0))
        }
        #expect(sandbox.mode("made/alice.pem") == 0o600)
        command.signal(SIGINT)
        #expect(await command.outcome().status == 130)
    }
}
