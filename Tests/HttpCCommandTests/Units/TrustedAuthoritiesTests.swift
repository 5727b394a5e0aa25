import Foundation
import HttpC
import HttpConversationNIO
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

@Suite struct TrustedAuthoritiesTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func file(
        _ environment: [String: String], _ profile: Profile? = nil,
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) throws -> String? {
        var settings = ConnectionSettings()
        change(&settings)
        let filled = environment.mapValues { $0.isEmpty ? "" : sandbox.path($0) }
        let tls = try TrustedAuthorities.ofServers(settings, profile, environment: filled)
        guard case .file(let url) = tls.trustRoots else { return nil }
        // A login in a browser has to know it (security rule S28).
        var configuration = NIOTransport.Configuration()
        configuration.tls = tls
        let policy = NIOTransport(configuration: configuration).connectionPolicy
        #expect(policy.settings(for: try Origin(scheme: .https, host: "a.example")).contains(.authorities))
        return url.lastPathComponent
    }

    /// As with curl.
    @Test func theEnvironmentCountsLast() throws {
        for name in ["a", "b", "c"] { try sandbox.write("", to: name) }
        #expect(try file([:]) == nil)
        #expect(try file(["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b"]) == "a")
        #expect(try file(["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"]) == "b")
        #expect(try file(["CURL_CA_BUNDLE": "a"]) { $0.caCertificate = sandbox.path("c") } == "c")
        var profile = Profile(name: "a")
        profile.caCertificate = sandbox.path("c")
        #expect(try file(["SSL_CERT_FILE": "missing"], profile) == "c")
        #expect(try file(["SSL_CERT_FILE": "missing"]) { $0.isInsecure = true } == nil)
    }

    /// Many machines have such variables for programs that do not know the system's file. A browser keeps its own way.
    @Test func theSystemsFileChangesNothing() throws {
        let system = "/etc/ssl/certs/ca-certificates.crt"
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: system)
        try sandbox.write("", to: "a")
        #expect(TrustedAuthorities.variable(in: ["CURL_CA_BUNDLE": system]) == nil)
        #expect(try file(["CURL_CA_BUNDLE": "link", "SSL_CERT_FILE": "a"]) == nil)
    }

    @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]) func aFileThatIsMissingIsNamed(variable: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try file([variable: "missing"]) }
        #expect(failure?.status == .trustRootsUnusable && failure?.message.contains(variable) == true)
    }

    /// The reason is not that of an earlier system call.
    @Test func whatIsNoFileIsNamedAsSuch() throws {
        let folder = sandbox.path("")
        let authorities = #expect(throws: CommandFailure.self) { try file([:]) { $0.caCertificate = folder } }
        let certificate = #expect(throws: CommandFailure.self) { try CertificateFile(path: folder).check() }
        for failure in [authorities, certificate] {
            #expect(failure?.message.contains("it is not a regular file") == true, "\(failure?.message ?? "")")
        }
    }
}
