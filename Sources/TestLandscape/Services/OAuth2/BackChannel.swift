import Foundation
import HTTPTypes
import HummingbirdCore

/// The common part of the endpoints for direct requests of clients.
enum BackChannel {
    /// Reads the form, authenticates the client, and turns failures into their answers.
    static func respond(
        _ exchange: ServerExchange, _ operation: (ServerExchange, FormFields, OAuthClient) async throws -> Response
    ) async throws -> Response {
        do {
            let form = try await form(of: exchange)
            return try await operation(exchange, form, try await client(of: exchange, form))
        } catch let failure as OAuthFailure {
            return try answer(failure, exchange)
        }
    }

    static func answer(_ failure: OAuthFailure, _ exchange: ServerExchange) throws -> Response {
        if failure.code == "invalid_grant" { exchange.oauth.counters.count(\.invalidGrants) }
        if failure.code == "invalid_client" { exchange.oauth.counters.count(\.invalidClients) }
        var response = try failure.response()
        if failure.code == "use_dpop_nonce" {
            exchange.oauth.counters.count(\.noncesDemanded)
            response = response.adding(.dpopNonce, exchange.oauth.proofs.nonce(of: .authorization))
        }
        if failure.code == "invalid_dpop_proof" { exchange.oauth.counters.count(\.refusedProofs) }
        return failure.status == .methodNotAllowed ? response.adding(.allow, "POST") : response
    }

    /// The form of a POST, without the parameters of the query.
    static func form(of exchange: ServerExchange) async throws -> FormFields {
        guard exchange.method == "POST" else {
            throw OAuthFailure("invalid_request", "POST, please", status: .methodNotAllowed)
        }
        guard let form = try await exchange.form() else {
            throw OAuthFailure.invalidRequest("application/x-www-form-urlencoded, please")
        }
        if exchange.oauth.rule.refusesCookies, exchange.field("Cookie") != nil {
            throw OAuthFailure.invalidRequest("cookies have no place here")
        }
        if let name = form.repeated.subtracting(["resource", "audience"]).min() {
            throw OAuthFailure.invalidRequest("\(name) occurs more than once")
        }
        return form
    }

    /// The client that sent the request (RFC 6749, 2.3).
    static func client(of exchange: ServerExchange, _ form: FormFields) async throws -> OAuthClient {
        if let client = try asserted(exchange, form) { return client }
        let client = try withSecret(of: exchange, form)
        if let name = client.certificateName {
            guard let certificate = try await exchange.connection.clientCertificate(),
                "\(certificate.subject)" == "CN=\(name)"
            else { throw OAuthFailure.invalidClient }
        }
        return client
    }

    /// The client of an assertion (RFC 7521, 4.2); nil if the form has none.
    private static func asserted(_ exchange: ServerExchange, _ form: FormFields) throws -> OAuthClient? {
        guard form["client_assertion_type"] != nil || form["client_assertion"] != nil else { return nil }
        guard form["client_assertion_type"] == AssertionCheck.type, let assertion = form["client_assertion"] else {
            throw OAuthFailure.invalidClient
        }
        guard exchange.field("Authorization") == nil, form["client_secret"] == nil else {
            throw OAuthFailure.invalidRequest("more than one way to authenticate")
        }
        let client = try exchange.oauth.assertions.client(
            assertion, issuer: exchange.issuer, clients: exchange.oauth.clients)
        guard form["client_id"] == nil || form["client_id"] == client.id else {
            throw OAuthFailure.invalidRequest("two different clients")
        }
        return client
    }

    private static func withSecret(of exchange: ServerExchange, _ form: FormFields) throws -> OAuthClient {
        let authorization = exchange.incoming.fields.filter { $0.name.lowercased() == "authorization" }
        if let field = authorization.first {
            guard authorization.count == 1, form["client_secret"] == nil else {
                throw OAuthFailure.invalidRequest("more than one way to authenticate")
            }
            let (id, secret) = try basic(field.value)
            guard form["client_id"] == nil || form["client_id"] == id else {
                throw OAuthFailure.invalidRequest("two different clients")
            }
            return try client(exchange, id: id, secret: secret, method: .basic)
        }
        guard let id = form["client_id"] else { throw OAuthFailure.invalidClient }
        return try client(exchange, id: id, secret: form["client_secret"], method: .post)
    }

    private static func client(
        _ exchange: ServerExchange, id: String, secret: String?, method: OAuthSecretMethod
    ) throws -> OAuthClient {
        guard let client = exchange.oauth.clients[id] else { throw OAuthFailure.invalidClient }
        switch (client.secret, secret) {
        case (nil, nil):
            guard client.publicKeys.isEmpty else { throw OAuthFailure.invalidClient }
            return client
        case (let expected?, let secret?):
            guard client.secretMethods.contains(method), UserDirectory.equal(expected, secret) else {
                throw OAuthFailure.invalidClient
            }
            return client
        default:
            throw OAuthFailure.invalidClient
        }
    }

    /// Decodes Basic credentials. Both halves are form-encoded before they are joined (RFC 6749, 2.3.1).
    private static func basic(_ value: String) throws -> (id: String, secret: String) {
        guard value.prefix(6).lowercased() == "basic ",
            let data = Data(base64Encoded: value.dropFirst(6).trimmingCharacters(in: .whitespaces))
        else { throw OAuthFailure.invalidClient }
        let halves = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw OAuthFailure.invalidClient }
        let decoded = halves.map { PercentCoding.decodeText(String($0.map { $0 == "+" ? " " : $0 })) }
        return (decoded[0], decoded[1])
    }
}
