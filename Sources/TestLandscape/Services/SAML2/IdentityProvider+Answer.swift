import Foundation
import HTTPTypes
import HummingbirdCore

/// The answer of the identity provider after a login.
extension IdentityProvider {
    func proceed(
        _ signOn: SignOn, _ login: BrowserStore<SignOnPurpose>.Login, cookie: String? = nil
    ) throws -> Response {
        if signOn.style == .consent,
            !server.browsers.hasConsent(of: login.user, to: signOn.serviceProvider, scopes: ["name"])
        {
            return show(.consent(signOn), cookie: cookie)
        }
        return try answer(signOn, login)
    }

    func answer(
        _ signOn: SignOn, _ login: BrowserStore<SignOnPurpose>.Login, isDenied: Bool = false
    ) throws -> Response {
        let fault = server.faults.take()
        if fault != nil { counters.count(\.injectedFaults) }
        let issuer = SAMLParty.identityProvider(exchange.ownBase)
        let writer = SAMLResponseWriter(
            signOn: signOn, login: login, issuer: issuer, now: server.clock.date,
            lifetime: server.rule.assertionLifetime, fault: fault)
        let document = try writer.document(isDenied: isDenied)
        counters.count(\.assertionsIssued)
        let relayState = fault == .lostRelayState ? nil : signOn.relayState
        if signOn.binding == .artifact {
            let artifact = server.artifacts.add(document, for: signOn.serviceProvider, from: issuer)
            let relay = relayState.map { "&RelayState=" + PercentCoding.encode($0) } ?? ""
            // The answer to a form must not be posted on.
            return SAMLPage.redirect(
                signOn.consumer + "?SAMLart=" + PercentCoding.encode(artifact) + relay,
                status: exchange.method == "POST" ? .seeOther : .found)
        }
        var fields = [(name: "SAMLResponse", value: Data(document.utf8).base64EncodedString())]
        if let relayState { fields.insert((name: "RelayState", value: relayState), at: 0) }
        let isExternal = signOn.style == .external
        var response = SAMLPage.response(
            SAMLPage.selfSubmitting(
                action: signOn.consumer, fields: fields, script: isExternal ? "/idp/submit.js" : nil))
        if isExternal { response.headers[.contentSecurityPolicy] = "default-src 'none'; script-src 'self'" }
        return response
    }
}
