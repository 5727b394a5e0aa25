import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The back channel between service provider and identity provider: SOAP over HTTP (saml-bindings-2.0, 3.2 and 3.6).
enum ArtifactResolution {
    // MARK: The service provider

    /// Asks the identity provider for the response behind an artifact.
    ///
    /// - Returns: the SOAP envelope, which contains the response
    static func resolve(_ artifact: String, for exchange: ServerExchange) async throws -> [UInt8] {
        let shared = exchange.shared
        let issuer = SAMLParty.identityProvider(shared.identityProviderBase(for: exchange.origin))
        guard ArtifactStore.isArtifact(artifact, of: issuer) else {
            throw SAMLFailure("The artifact is from somebody else.")
        }
        let id = "_" + RandomToken.make()
        let request = Markup.element(
            "samlp:ArtifactResolve",
            [
                "xmlns:saml": Markup.assertionNamespace, "xmlns:samlp": Markup.protocolNamespace, "ID": id,
                "IssueInstant": shared.clock.date.ISO8601Format(), "Version": "2.0",
            ],
            Markup.element("saml:Issuer", [:], Markup.text(SAMLParty.serviceProvider(exchange.ownBase)))
                + Markup.element("samlp:Artifact", [:], Markup.text(artifact)))
        // Plain HTTP suffices, because both ends are in one process.
        let answer = try await PlainHTTPRequest(
            port: shared.addresses.port(of: .other), path: "/idp/artifact", type: "text/xml",
            body: Array(envelope(request).utf8)
        ).send()
        guard answer.status == 200, let root = MarkupElement.read(answer.body),
            let response = root.at("Body", "ArtifactResponse"), response.attributes["InResponseTo"] == id,
            response.only("Response") != nil
        else { throw SAMLFailure("The artifact is not good any more.") }
        return answer.body
    }

    // MARK: The identity provider

    /// `/idp/artifact`: the response of an artifact. The answer is empty if the artifact is unknown, expired, used or
    /// belongs to another service provider.
    static func answer(_ exchange: ServerExchange) async throws -> Response {
        let body = try await exchange.body().collect(upTo: 65_536)
        guard let request = MarkupElement.read(Array(body.readableBytesView))?.at("Body", "ArtifactResolve"),
            let id = request.attributes["ID"], let artifact = request.only("Artifact")?.text,
            let issuer = request.only("Issuer")?.text
        else { return .text("SOAP with an ArtifactResolve, please\n", status: .badRequest) }
        let server = exchange.saml
        let response = server.artifacts.take(artifact, for: issuer, lifetime: server.rule.assertionLifetime)
        server.counters.count(response == nil ? \.artifactsRefused : \.artifactsResolved)
        let status = Markup.element(
            "samlp:Status", [:],
            Markup.element("samlp:StatusCode", ["Value": "urn:oasis:names:tc:SAML:2.0:status:Success"]))
        let answer = Markup.element(
            "samlp:ArtifactResponse",
            [
                "xmlns:samlp": Markup.protocolNamespace, "ID": "_" + RandomToken.make(), "InResponseTo": id,
                "IssueInstant": exchange.shared.clock.date.ISO8601Format(), "Version": "2.0",
            ], status + (response ?? ""))
        var result = Response.text(envelope(answer))
        result.headers[.contentType] = "text/xml; charset=utf-8"
        return result
    }

    private static func envelope(_ content: String) -> String {
        Markup.element(
            "SOAP-ENV:Envelope", ["xmlns:SOAP-ENV": Markup.soapNamespace],
            Markup.element("SOAP-ENV:Body", [:], content))
    }
}
