import HTTPTypes
import HummingbirdCore

/// `/otp/…`: resources that need both factors.
struct OTPResource {
    static let header = HTTPField.Name("x-smp-authentication")

    let exchange: ServerExchange

    func respond() async throws -> Response {
        let name = exchange.segments.count > 1 ? exchange.segments[1] : ""
        guard let variant = OTPVariant(name) else {
            return .text("basic, bearer or saml, and words\n", status: .notFound)
        }
        switch try await variant.progress(exchange) {
        case .challenged(let response): return response
        case .passed(let user):
            if let challenge = challenge(user, name, variant) { return challenge }
            return try await ProtectedAnswer.response(to: exchange, user: user, factors: [variant.factor, "OTP"])
        }
    }

    /// The challenge for a code; nil if the user has given it.
    func challenge(_ user: String, _ name: String, _ variant: OTPVariant) -> Response? {
        let cookies = OTPCookies(exchange: exchange, origin: exchange.origin)
        guard cookies.user != user else { return nil }
        let server = exchange.shared.service(OTPServer.self)
        server.counters.count(\.challenges)
        let path =
            "/otpform/\(name)?for=\(exchange.origin.rawValue)&to="
            + PercentCoding.encode(exchange.ownBase + exchange.incoming.target)
        let elsewhere = exchange.shared.addresses.base(of: exchange.origin.identityProvider)
        var response = SAMLPage.redirect((variant.isElsewhere ? elsewhere : exchange.ownBase) + path)
        if let name = Self.header { response.headers[name] = server.rule.headerValue }
        // A browser with a first factor keeps its cookie, so that simultaneous challenges do not replace each other's.
        return cookies.first?.user == user ? response : response.adding(.setCookie, cookies.beginFirst(user))
    }
}
