import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc credential kubernetes`, by the documents that Kubernetes clients and their plugins exchange.
@Suite(.landscape, .timeLimit(.minutes(1))) struct KubernetesCredentialTests {
    private struct Answer: Decodable {
        struct Status: Decodable {
            let token: String?
            let expirationTimestamp: Date?
            let clientCertificateData: String?
            let clientKeyData: String?
        }
        let apiVersion: String
        let kind: String
        let status: Status
    }

    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func ask(
        _ arguments: [String], version: String? = nil, server: String? = nil, cluster more: String = ""
    ) async throws -> RunningCommand.Outcome {
        var environment = OAuth2Profile.secrets
        if let version {
            let cluster = server.map { ",\"cluster\":{\"server\":\"\($0)\"\(more)}" } ?? ""
            environment["KUBERNETES_EXEC_INFO"] =
                "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/\(version)\",\"spec\":{\"interactive\":false\(cluster)}}"
        }
        return try await sandbox.httpc(["credential", "kubernetes"] + arguments, environment: environment)
    }

    private func answer(_ outcome: RunningCommand.Outcome) throws -> Answer {
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Answer.self, from: outcome.output)
    }

    @Test(arguments: [nil, "v1", "v1beta1"]) func accessToken(version: String?) async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let url = landscape.urlString(.main, "/api")
        let first = try answer(try await ask([url], version: version))
        #expect(first.apiVersion == "client.authentication.k8s.io/\(version ?? "v1")")
        #expect(first.kind == "ExecCredential")
        #expect(try #require(first.status.expirationTimestamp) > .now)
        #expect(first.status.clientCertificateData == nil && first.status.clientKeyData == nil)
        let used = try await sandbox.httpc(
            "-f", "--config", "/dev/null", "-H", "Authorization: Bearer \(try #require(first.status.token))",
            landscape.urlString(.main, "/api/1"))
        #expect(used.status == 0, "\(used.errors)")
        // By the profile's name, and by the server that the client names.
        for arguments in [["--profile", "work"], []] where version != nil || !arguments.isEmpty {
            let again = try answer(try await ask(arguments, version: version, server: version == nil ? nil : url))
            #expect(again.status.token == first.status.token)
        }
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    @Test func idTokenOnlyWhereTheProfileSaysSo() async throws {
        try OAuth2Profile.install(
            "password", landscape, in: sandbox, "scopes = [\"openid\", \"read\"]\nid-token = true")
        let url = landscape.urlString(.main, "/api")
        let token = try #require(try answer(try await ask([url])).status.token)
        #expect(token.split(separator: ".").count == 3)
        try OAuth2Profile.install("password", landscape, in: sandbox, "scopes = [\"openid\", \"read\"]")
        #expect(try answer(try await ask([url])).status.token != token)
        try OAuth2Profile.install("password", landscape, in: sandbox, "id-token = true")
        _ = try await sandbox.httpc("login", environment: OAuth2Profile.secrets)
        let none = try await ask([url])
        #expect(none.status == 67 && none.output.isEmpty)
        #expect(none.errors.contains("\"openid\""), "\(none.errors)")
    }

    @Test(arguments: [true, false]) func certificate(isPEM: Bool) async throws {
        let files = try await ClientFiles.make(in: sandbox)
        let cert =
            isPEM
            ? "file = \"client.pem\"\nkey = \"client.key\"" : "file = \"client.p12\"\npassphrase-env = \"PASSWORD\""
        try sandbox.write(
            "[profiles.work]\nmatch = [\"https://cluster.example/\"]\n[profiles.work.cert]\n\(cert)\n",
            to: "config/httpc/config.toml")
        let status = try answer(try await ask(["https://cluster.example/"])).status
        #expect(status.token == nil && status.expirationTimestamp == nil)
        try sandbox.write(try #require(status.clientCertificateData), to: "given.pem")
        try sandbox.write(try #require(status.clientKeyData), to: "given.key")
        #expect(try await files.publicKey(certificate: "given.pem") == files.publicKey(key: "given.key"))
        #expect(try await files.publicKey(certificate: "given.pem") == files.publicKey(certificate: "client.pem"))
        #expect(try await ask(["https://other.example/"]).status == 2)
    }

    @Test func onlyForTheServersOfOneProfile() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let url = landscape.urlString(.main, "/api")
        for (arguments, server) in [
            ([], nil), (["--profile", "work"], "https://evil.example"), ([url], "https://evil.example"),
            ([], "https://evil.example"), ([url], landscape.urlString(.main, "/other")),
            ([url], landscape.urlString(.secure, "/api")), (["https://evil.example"], url),
            ([url], url.replacing("://", with: "://evil@")),
        ] as [([String], String?)] {
            let outcome = try await ask(arguments, version: "v1", server: server)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(arguments) \(server ?? "")")
        }
        for text in ["", "{}", "[", "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v2\"}"]
        {
            let outcome = try await sandbox.httpc(
                "credential", "kubernetes", url,
                environment: OAuth2Profile.secrets.merging(["KUBERNETES_EXEC_INFO": text]) { $1 })
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(text)")
        }
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    /// A client that checks no certificate may talk to anybody. With -k that is what the person wants.
    @Test func nothingForAClientThatChecksNoCertificate() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let url = landscape.urlString(.main, "/api")
        let refused = try await ask([url], version: "v1", server: url, cluster: ",\"insecure-skip-tls-verify\":true")
        #expect(refused.status == 67 && refused.output.isEmpty)
        #expect(refused.errors.contains("Remove insecure-skip-tls-verify"), "\(refused.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 0)
        let allowed = try await ask(
            ["-k", url], version: "v1", server: url, cluster: ",\"insecure-skip-tls-verify\":true")
        #expect(allowed.status == 0 && allowed.text.contains("\"token\""), "\(allowed.errors)")
        for more in [",\"insecure-skip-tls-verify\":false", ",\"tls-server-name\":\"cluster.example\""] {
            _ = try answer(try await ask([url], version: "v1", server: url, cluster: more))
        }
    }

    /// Clients take such a server for http if they know no certificate authority for it.
    @Test func nothingForAnotherMachineWithoutHTTPS() async throws {
        _ = try await ClientFiles.make(in: sandbox)
        try sandbox.write(
            "[profiles.work]\nmatch = [\"https://cluster.example/\"]\n[profiles.work.cert]\n"
                + "file = \"client.pem\"\nkey = \"client.key\"\n", to: "config/httpc/config.toml")
        let refused = try await ask(["https://cluster.example/"], version: "v1", server: "cluster.example")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("Write https:// in front of the server"), "\(refused.errors)")
        let url = "https://cluster.example"
        _ = try answer(try await ask([url], version: "v1", server: url))
    }

    /// A certificate with its key, by OpenSSL.
    private struct ClientFiles {
        let sandbox: Sandbox

        static func make(in sandbox: Sandbox) async throws -> ClientFiles {
            let files = ClientFiles(sandbox: sandbox)
            let folder = "config/httpc/"
            try sandbox.write("", to: folder + "config.toml")
            _ = try await files.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=alice",
                "-days", "2", "-keyout", sandbox.path(folder + "client.key"), "-out",
                sandbox.path(folder + "client.pem"))
            _ = try await files.openssl(
                "pkcs12", "-export", "-in", sandbox.path(folder + "client.pem"), "-inkey",
                sandbox.path(folder + "client.key"), "-out", sandbox.path(folder + "client.p12"), "-passout",
                "pass:wonderland")
            return files
        }

        func publicKey(certificate: String) async throws -> String {
            let folder = certificate == "client.pem" ? "config/httpc/" : ""
            return try await openssl("x509", "-in", sandbox.path(folder + certificate), "-noout", "-pubkey")
        }

        func publicKey(key: String) async throws -> String {
            try await openssl("pkey", "-in", sandbox.path(key), "-pubout")
        }

        private func openssl(_ arguments: String...) async throws -> String {
            let outcome = try await Program.run("/usr/bin/openssl", arguments)
            try #require(outcome.status == 0, "\(outcome.errors)")
            return outcome.text
        }
    }
}
