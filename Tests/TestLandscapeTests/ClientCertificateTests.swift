import Foundation
import LandscapeSupport
import Testing

/// curl sends its certificate, and the server names its subject.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ClientCertificateTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: ["--tlsv1.3", "--tls-max"], [LandscapeOrigin.mutual, .mutualOptional])
    func recordsCertificateSubject(option: String, origin: LandscapeOrigin) async throws {
        let authority = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: authority.url)
        let alice = try landscape.certificates.client("alice")
        let pem = try TemporaryFile("alice.pem", contents: Data((alice.certificatePEM + alice.keyPEM).utf8))
        let bundle = try TemporaryFile("alice.p12", contents: Data(alice.pkcs12(passphrase: "secret")))
        let url = landscape.urlString(origin, "/certificate")
        let options =
            (option == "--tls-max" ? [option, "1.2"] : [option]) + ["--cacert", authority.path, url]
        for certificate in [["--cert", pem.path], ["--cert", "\(bundle.path):secret", "--cert-type", "P12"]] {
            let answer = try await Curl.run(options + certificate)
            #expect(answer.text == "CN=alice\n", "\(answer.errors)")
        }
        let nobody = try await Curl.run(options)
        #expect(origin == .mutual ? nobody.exitCode != 0 : nobody.text == "nobody\n")
        let shown = landscape.requests(path: "/certificate").map(\.certificate)
        #expect(shown == ["CN=alice", "CN=alice"] + (origin == .mutual ? [] : [nil]))
    }

    @Test(arguments: [LandscapeClientCertificate.Validity.past, .future])
    func refusesCertificatesOutsideTheirValidity(validity: LandscapeClientCertificate.Validity) async throws {
        let authority = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: authority.url)
        let alice = try landscape.certificates.client("alice", validity: validity)
        let pem = try TemporaryFile("alice.pem", contents: Data((alice.certificatePEM + alice.keyPEM).utf8))
        let url = landscape.urlString(.mutual, "/certificate")
        let answer = try await Curl.run("--cacert", authority.path, "--cert", pem.path, url)
        #expect(answer.exitCode != 0)
        #expect(answer.text.isEmpty)
    }

    /// Like nginx with a revocation list, the handshake succeeds and a page refuses.
    @Test(arguments: [LandscapeOrigin.mutual, .mutualOptional]) func refusesRevokedCertificates(origin: LandscapeOrigin)
        async throws
    {
        let authority = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: authority.url)
        let alice = try landscape.certificates.client("alice")
        let pem = try TemporaryFile("alice.pem", contents: Data((alice.certificatePEM + alice.keyPEM).utf8))
        let options = [
            "--cacert", authority.path, "--cert", pem.path, "-w", "%{http_code}",
            landscape.urlString(origin, "/certificate"),
        ]
        #expect(try await Curl.run(options).text == "CN=alice\n200")
        try landscape.certificates.revoke(alice)
        let answer = try await Curl.run(options)
        #expect(answer.text.contains("The SSL certificate error"))
        #expect(answer.text.hasSuffix("400"))
    }
}
