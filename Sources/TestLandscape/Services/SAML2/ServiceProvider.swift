import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/saml/…`: protected resources, their challenges, and the endpoint that consumes the answers.
struct ServiceProvider {
    static let identifyingHeader = HTTPField.Name("com.sap.cloud.security.login")
    static let finishParameter = "finishEndpointParam"
    static let stateCookie = "_saml_state%3A"

    let exchange: ServerExchange
    var server: SAMLServer { exchange.saml }

    init(exchange: ServerExchange) {
        self.exchange = exchange
    }

    func respond() async throws -> Response {
        let place = exchange.segments.count > 1 ? exchange.segments[1] : ""
        switch place {
        case "acs": return try await consume()
        case "logout": return logout()
        case "detour": return endOfDetour()
        default:
            guard let variant = SAMLVariant(place) else {
                return .text(
                    "post-post, post-artifact, redirect-post, redirect-artifact and words\n", status: .notFound)
            }
            if exchange.segments.count == 3, exchange.segments[2] == "SAMLAuthLauncher" { return finish(variant) }
            guard let user, !variant.isNever else { return variant.hasDetour ? detour(place) : challenge(variant) }
            return try await ProtectedAnswer.response(to: exchange, user: user, factors: ["SAML2"])
        }
    }

    /// `/SAMLAuthLauncher` at the root, as SAP's servers have it.
    func launch() -> Response {
        guard let variant = SAMLVariant(server.rule.launcher) else {
            return .text("the rule's launcher is not a variant\n", status: .internalServerError)
        }
        return finish(variant)
    }

    // MARK: The session

    /// The user of the session. A session is valid for the scheme, host and port at which it began.
    var user: String? {
        CookieHeader.value(of: cookieName, in: exchange.incoming.fields)
            .flatMap { server.sessions.user(of: $0, realm: exchange.ownBase) }
    }

    /// The name of the cookie. It has the origin, because cookies are shared by all ports.
    private var cookieName: String { "SAML_SESSION_\(exchange.origin.rawValue)" }

    var cookieAttributes: String {
        "; Path=/; HttpOnly; SameSite=Lax" + (exchange.origin.scheme == "https" ? "; Secure" : "")
    }

    private func logout() -> Response {
        if let id = CookieHeader.value(of: cookieName, in: exchange.incoming.fields) { server.sessions.end(id) }
        return Response.text("logged out\n").adding(.setCookie, "\(cookieName)=; Max-Age=0\(cookieAttributes)")
    }

    // MARK: Finishing

    /// Challenges until there is a session, and then redirects to itself with the finish parameter.
    private func finish(_ variant: SAMLVariant) -> Response {
        guard user != nil else { return challenge(variant, isFinish: true) }
        if exchange.parameter(Self.finishParameter) != nil { return .text("You are logged in.\n") }
        server.counters.count(\.finishes)
        return SAMLPage.redirect(Self.addingFinishParameter(exchange.ownBase + exchange.incoming.target))
    }

    private static func addingFinishParameter(_ url: String) -> String {
        url + (url.contains("?") ? "&" : "?") + finishParameter + "=true"
    }

    /// `/saml/acs`: a response in a form, or an artifact in the query.
    private func consume() async throws -> Response {
        await exchange.wait(at: SAMLServer.consumerGate, delay: server.rule.assertionDelay)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        do {
            let form = exchange.method == "POST" ? try await exchange.form() : FormFields(queryOf: exchange)
            guard let form else { throw SAMLFailure("This is not a form.") }
            return try logIn(document: try await document(form), relayState: form["RelayState"])
        } catch let failure as SAMLFailure {
            server.counters.count(\.assertionsRefused)
            return SAMLPage.problem(failure.description)
        }
    }

    private func document(_ form: FormFields) async throws -> [UInt8] {
        if exchange.method == "POST", let text = form["SAMLResponse"] {
            guard let document = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                throw SAMLFailure("The response is not in base64.")
            }
            return Array(document)
        }
        guard let artifact = form["SAMLart"] else { throw SAMLFailure("There is neither response nor artifact.") }
        return try await ArtifactResolution.resolve(artifact, for: exchange)
    }

    private func logIn(document: [UInt8], relayState: String?) throws -> Response {
        guard let root = MarkupElement.read(document),
            let response = root.name == "Response"
                ? root : root.at("Body", "ArtifactResponse", "Response")
        else { throw SAMLFailure("This is not a response.") }
        let base = exchange.ownBase
        let issuer = SAMLParty.identityProvider(exchange.shared.identityProviderBase(for: exchange.origin))
        let login = try SAMLResponseReader(
            response, in: document, base: base, issuer: issuer, now: server.clock.date)
        let pending = try take(login.request)
        guard pending.base == base else { throw SAMLFailure("Another service provider asked for this.") }
        guard pending.relayState == relayState else { throw SAMLFailure("The relay state did not come back.") }
        server.counters.count(\.assertionsConsumed)
        let session = server.sessions.begin(user: login.user, realm: base)
        let url = base + pending.target
        if pending.isFinish { server.counters.count(\.finishes) }
        let answer = SAMLPage.redirect(pending.isFinish ? Self.addingFinishParameter(url) : url)
            .adding(.setCookie, "\(cookieName)=\(session)\(cookieAttributes)")
        guard server.rule.setsStateCookies else { return answer }
        return answer.adding(
            .setCookie, "\(Self.stateCookie)\(login.request.dropFirst())=; Max-Age=0\(cookieAttributes)")
    }

    private func take(_ request: String) throws -> SAMLRequestStore.Pending {
        switch server.requests.take(request, lifetime: server.rule.requestLifetime) {
        case .taken(let pending): return pending
        case .replayed:
            server.counters.count(\.replays)
            throw SAMLFailure("This has been answered before.")
        case .unknown: throw SAMLFailure("Nobody has asked for this.")
        }
    }
}
