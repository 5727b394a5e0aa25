import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/otpform/…`: the form for the one-time password.
struct OTPForm {
    let exchange: ServerExchange
    private var server: OTPServer { exchange.shared.service() }

    func respond() async throws -> Response {
        await exchange.wait(at: OTPServer.gate)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        let name = exchange.segments.count > 1 ? exchange.segments[1] : ""
        guard let variant = OTPVariant(name) else {
            return SAMLPage.problem("There is no such form.", status: .notFound)
        }
        if exchange.parameter("finished") == "true" { return SAMLPage.notice("Done", "You may close this window.") }
        if variant.isStrict, OTPVariant.realm.authenticate(exchange) == nil {
            return OTPVariant.realm.refusal(to: exchange)
        }
        let origin = exchange.parameter("for").flatMap(LandscapeOrigin.init(rawValue:)) ?? exchange.origin
        let cookies = OTPCookies(exchange: exchange, origin: origin)
        guard let (cookie, userName) = cookies.first, let user = exchange.shared.users.user(named: userName, in: "otp")
        else {
            server.counters.count(\.strangers)
            return SAMLPage.problem("Log in with the first factor first.")
        }
        guard exchange.method == "POST" else { return show(for: cookie, user) }
        guard let form = try await exchange.form() else {
            return SAMLPage.problem("This is not a form.", status: .badRequest)
        }
        await exchange.wait(delay: server.rule.delay)
        guard server.forms.take(form["token"], for: cookie) else {
            return SAMLPage.problem("This form is not valid any more.")
        }
        if let message = check(form["passcode"] ?? "", of: user) { return show(for: cookie, user, message) }
        return finish(name).adding(.setCookie, cookies.beginSession(userName))
    }

    /// Checks the code. Returns the problem, or nil if the code is right.
    private func check(_ passcode: String, of user: LandscapeUser) -> String? {
        switch server.passcodes.check(passcode, of: user, rule: server.rule) {
        case .right:
            server.counters.count(\.accepted)
            return nil
        case .wrong:
            server.counters.count(\.wrong)
            return "This code is wrong."
        case .repeated:
            server.counters.count(\.repeated)
            return "This code has been used. Wait for the next one."
        case .throttled:
            server.counters.count(\.throttled)
            return "Too many tries. Wait a little."
        }
    }

    /// Redirects to the original URL if it belongs to the landscape, or else to the form's URL with the finish
    /// parameter.
    private func finish(_ name: String) -> Response {
        let done = exchange.ownBase + "/otpform/\(name)?finished=true"
        guard exchange.parameter("redirecttooriginalurl") != "false", let target = exchange.parameter("to"),
            let path = target.range(of: "/otp/"),
            exchange.shared.addresses.origin(ofBase: String(target[..<path.lowerBound])) != nil
        else { return SAMLPage.redirect(done, status: .seeOther) }
        return SAMLPage.redirect(target, status: .seeOther)
    }

    private func show(for cookie: String, _ user: LandscapeUser, _ message: String? = nil) -> Response {
        server.counters.count(\.forms)
        let callback = PercentCoding.encode("\(server.rule.callbackScheme)://passcode")
        let link =
            "sapauthenticator://x-callback-url/getpasscode?account="
            + PercentCoding.encode("\(user.name)@landscape") + "&x-success=\(callback)"
        let error = message.map { "<p class=\"error\" role=\"alert\">\($0)</p>\n" } ?? ""
        return SAMLPage.response(
            SAMLPage.page(
                title: "One-time passcode",
                content: """
                    \(error)<form method="post">
                    <input type="hidden" name="token" value="\(server.forms.open(for: cookie))">
                    <p><label for="passcode">Passcode</label>
                    <input id="passcode" name="passcode" type="text" inputmode="numeric" autocomplete="one-time-code"></p>
                    <p><button type="submit">Log in</button></p>
                    </form>
                    <p><a href="\(Page.escape(link))">Open SAP Authenticator</a></p>
                    """))
    }
}
