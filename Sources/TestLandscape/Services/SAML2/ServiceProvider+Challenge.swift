import Foundation
import HTTPTypes
import HummingbirdCore

/// The challenges of the service provider.
extension ServiceProvider {
    /// The challenge for any method: the form, or a redirect to the identity provider.
    ///
    /// - Parameter target: the path and query to which the browser returns; nil: those of the request
    func challenge(_ variant: SAMLVariant, target: String? = nil, isFinish: Bool = false) -> Response {
        server.counters.count(\.challenges)
        let base = exchange.ownBase
        let rule = server.rule
        let (id, relayState) = server.requests.add(
            base: base, target: target ?? exchange.incoming.target, isFinish: isFinish,
            relayStateIsURL: rule.relayStateIsURL)
        let destination = SAMLParty.signOn(
            exchange.shared.identityProviderBase(for: exchange.origin), variant.style ?? rule.loginStyle)
        let document = SignOn.document(
            id: id, variant: variant, base: base, destination: destination, date: server.clock.date)
        let response =
            variant.request == .redirect
            ? Self.redirect(to: destination, document, relayState)
            : form(to: destination, document, relayState, variant)
        return rule.setsStateCookies ? addingStateCookies(response, id) : response
    }

    /// A redirect to another page of the service provider, which then challenges, as some products do.
    func detour(_ variant: String) -> Response {
        let target = PercentCoding.encode(exchange.ownBase + exchange.incoming.target)
        return SAMLPage.redirect(
            exchange.ownBase + "/saml/detour?variant=\(variant)&ReturnTo=\(target)", status: .seeOther)
    }

    func endOfDetour() -> Response {
        let base = exchange.ownBase
        guard let variant = exchange.parameter("variant").flatMap(SAMLVariant.init), variant.hasDetour,
            let target = exchange.parameter("ReturnTo"), target.hasPrefix(base + "/saml/")
        else { return .text("a variant with a detour, and ReturnTo, please\n", status: .badRequest) }
        return challenge(variant, target: String(target.dropFirst(base.count)))
    }

    private static func redirect(to destination: String, _ document: String, _ relayState: String) -> Response {
        var encoder = DeflateEncoder()
        encoder.append(Array(document.utf8))
        encoder.finish()
        let request = Data(encoder.take()).base64EncodedString()
        return SAMLPage.redirect(
            destination + "?SAMLRequest=" + PercentCoding.encode(request)
                + "&RelayState=" + PercentCoding.encode(relayState))
    }

    private func form(
        to destination: String, _ document: String, _ relayState: String, _ variant: SAMLVariant
    ) -> Response {
        let html = SAMLPage.selfSubmitting(
            action: destination,
            fields: [
                ("RelayState", relayState), ("SAMLRequest", Data(document.utf8).base64EncodedString()),
            ])
        var code = variant.status
        if exchange.field("X-Requested-With") == "XMLHttpRequest", let status = server.rule.scriptStatus {
            code = status
        }
        let status = HTTPResponse.Status(code: code)
        var response =
            variant.isUTF16
            ? SAMLPage.utf16Response(html, status: status)
            : variant.isChunked
                ? SAMLPage.chunkedResponse(html, status: status) : SAMLPage.response(html, status: status)
        if variant.hasHeader, let name = Self.identifyingHeader { response.headers[name] = "login-request" }
        return response
    }

    /// Adds a further cookie for this challenge, and expires those beyond twenty.
    private func addingStateCookies(_ response: Response, _ id: String) -> Response {
        let known = CookieHeader.pairs(in: exchange.incoming.fields).map(\.name)
            .filter { $0.hasPrefix(Self.stateCookie) }
        let fresh = response.adding(.setCookie, Self.stateCookie + id.dropFirst() + "=1\(cookieAttributes)")
        return known.dropLast(19).reduce(fresh) {
            $0.adding(.setCookie, "\($1)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT\(cookieAttributes)")
        }
    }
}
