import HttpConvAuthFlows
import HttpConvCertificates
import HttpConvLogon
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import TestLandscape

/// A landscape whose authority is trusted, with enrolments.
struct EnrolmentBench {
    let landscape: Landscape
    let transport: NIOTransport

    var authority: [UInt8] { Array(landscape.certificates.authorityPEM.utf8) }

    /// A manager without logins, or with a password that it would give to each of the landscape's servers.
    func manager(_ user: String? = nil, password: String = "wonderland") -> HttpConversationManager {
        guard let user else { return HttpConversationManager(transport: transport) }
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(StaticCredentialProvider(username: user, password: password))
        return HttpConversationManager(transport: transport, configurator)
    }

    func enrolment(
        _ way: String = "challenge", _ manager: HttpConversationManager? = nil
    ) throws -> HTTPSEnrolment {
        var enrolment = try HTTPSEnrolment(
            manager ?? self.manager(), at: landscape.url(.secure, "/enrol/\(way)"),
            renewingAt: landscape.url(.mutual, "/enrol/renew"))
        enrolment.authorities = authority
        return enrolment
    }

    /// A request with a fresh challenge password.
    func request(_ name: String = "alice") -> EnrolmentRequest {
        EnrolmentRequest(commonName: name, challengePassword: landscape.makeEnrolmentChallenge(for: name))
    }

    /// The user that a server with client certificates recognises.
    func name(shownBy identity: EnrolledIdentity) async throws -> String {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: StaticIdentityProvider(identity.identity))
        let manager = HttpConversationManager(transport: transport, configurator)
        return try await manager.get(landscape.url(.mutual, "/certificate")).text
    }
}

func withEnrolment(_ body: (EnrolmentBench) async throws -> Void) async throws {
    try await withLandscape { landscape in
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        let transport = NIOTransport(configuration: configuration)
        try await transport.whileRunning { try await body(EnrolmentBench(landscape: landscape, transport: transport)) }
    }
}

/// The enrolment error of a closure; nil if it succeeds.
func enrolmentError<Result>(_ body: () async throws -> Result) async -> EnrolmentError? {
    await thrown(EnrolmentError.self, body)
}
