import Foundation
import TestSupport

/// Keys and metadata that introduce the service providers and SimpleSAMLphp to each other.
enum SAMLFixture {
    static let configurationFiles: [(fixture: String, name: String)] =
        [
            ("saml/saml.conf", "saml.conf"), ("saml/artifact-sp.xml", "artifact-sp.xml"), ("saml/start.sh", "start.sh"),
            ("saml/shibboleth2.xml", "shib/shibboleth2.xml"), ("saml/attribute-map.xml", "shib/attribute-map.xml"),
            ("saml/shibboleth.logger", "shib/shibd.logger"), ("saml/shibboleth.logger", "shib/native.logger"),
        ]
        + ["config", "authsources", "saml20-idp-hosted", "saml20-sp-remote"].map {
            ("saml/\($0).php", "idp/\($0).php")
        }

    static func write(into fixture: Fixture) async throws {
        let directory = fixture.server.directory
        for name in ["sp", "idp"] { try await makeKey(name, in: directory) }
        let certificate = try certificate("idp.pem", in: directory)
        for (name, binding, port) in [
            ("redirect", "HTTP-Redirect", RealServer.Port.second), ("post", "HTTP-POST", .second),
            ("secure", "HTTP-POST", .impatient), ("soap", "SOAP", .second),
        ] {
            let origin = fixture.server.url("", port).replacingOccurrences(of: "127.0.0.1", with: "localhost")
            try fixture.configure(
                "saml/idp.xml", as: "idp-\(name).xml",
                with: ["CERTIFICATE": certificate, "BINDING": binding, "ORIGIN": origin])
        }
        let origin = fixture.server.url("", .impatient).replacingOccurrences(of: "127.0.0.1", with: "localhost")
        let tls = try self.certificate("server.pem", in: directory)
        try fixture.configure(
            "saml/shib-idp.xml", as: "shib/idp.xml",
            with: ["CERTIFICATE": certificate, "TLSCERTIFICATE": tls, "ORIGIN": origin])
    }

    /// The base64 text of a certificate.
    private static func certificate(_ name: String, in directory: URL) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }

    private static func makeKey(_ name: String, in directory: URL) async throws {
        let key = directory.appending(path: "\(name).key").path
        let outcome = try await Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-days", "2", "-subj", "/CN=\(name)",
                "-out", directory.appending(path: "\(name).pem").path,
            ])
        guard outcome.status == 0 else { throw SetupFailure("openssl: \(outcome.errors)") }
        // The servers' workers read the keys, under any user. The keys live as long as the test run.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    }
}
