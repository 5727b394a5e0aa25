import HttpC
import TestLandscape

/// Scenes with client certificates.
extension DemoScene {
    static let certificates: [DemoScene] = [
        DemoScene(
            name: "certificate", title: "A client certificate",
            explanation: "the server asks for one in the TLS handshake; it is in a PKCS#12 file with a passphrase",
            play: certificate),
        DemoScene(
            name: "bound-token", title: "A token bound to a certificate",
            explanation: "the certificate authenticates an OAuth2 client; the token is worth nothing without it",
            play: boundToken),
    ]

    private static func certificate(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let file = try stage.landscape.certificates.client("alice").pkcs12(passphrase: "demo passphrase")
        let identity = try ClientIdentity.pkcs12(file, passphrase: "demo passphrase")
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: StaticIdentityProvider(identity))
        let manager = stage.manager(timeline, configurator)
        let response = try await manager.data(for: stage.request(.mutual, "/certificate"))
        try DemoFailure.unless(response.text == "CN=alice\n", "the server took us for \(response.text)")
        return "the server knows alice by her certificate"
    }

    private static func boundToken(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let robot = try stage.landscape.certificates.client("robot")
        let identity = try ClientIdentity.pem(
            certificates: Array(robot.certificatePEM.utf8), key: Array(robot.keyPEM.utf8))
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(
            oauth2: try DiscoveredOAuth2ServerSupport(
                issuer: stage.landscape.issuer(.secure), clientID: "robot",
                tokenOrigins: [stage.landscape.urlString(.mutual)],
                authentication: .tlsClientAuth(StaticIdentityProvider(identity)), grant: .clientCredentials))
        let manager = stage.manager(timeline, configurator)
        let response = try await manager.data(for: stage.request(.mutual, "/api/robot"))
        let client = try DemoStage.member("client", of: response)
        try DemoFailure.unless(client == "robot", "the server took us for \(client)")
        let sent = stage.landscape.requests(path: "/api/robot").last?.values(of: "authorization").first
        let thief = stage.manager(timeline, CommonAuthenticationConfigurator())
        let stolen = try await thief.data(
            for: stage.request(.secure, "/api/robot", fields: [.authorization: sent ?? ""]))
        try DemoFailure.unless(stolen.status == .unauthorized, "a stolen token was good for \(stolen.status.code)")
        return "the server knows \(client); the same token without the certificate is refused"
    }
}
