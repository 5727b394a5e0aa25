import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization

@testable import HttpConvAuthFlows

/// Holds the answers for some paths until its gate is opened.
final class HeldPath: Sendable {
    let prefix: String
    let gate = Gate()
    private let arrived = Box(0)

    init(_ prefix: String) { self.prefix = prefix }

    func pass() async {
        arrived.update { $0 += 1 }
        await gate.pass()
    }

    func waitForArrivals(_ count: Int) async {
        while arrived.value < count { await Task.yield() }
    }
}

/// A service provider whose resources need a session, and for some paths a second factor; scripted, without a network.
final class SessionServer: Sendable {
    static let base = "https://sp.example.com"

    /// The form of its challenges.
    enum Style: CaseIterable, Sendable {
        case header, headerOn500, form, formOn401, formOn403, redirect, redirectWithHeader
    }

    struct State: Sendable {
        var style = Style.form
        var sessions: Set<String> = []
        var factors: Set<String> = []
        var logins = 0
        var challenges = 0
        var served: [String] = []
        /// The path of a login's cookie; the session works only if the cookie is sent.
        var cookiePath = "/"
    }

    private let state: Mutex<State>
    private let held: [HeldPath]

    /// - Parameter held: paths whose answers are held back after they were decided
    init(_ style: Style = .form, holding held: HeldPath...) {
        state = Mutex(State(style: style))
        self.held = held
    }

    var now: State { state.withLock { $0 } }
    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    static func config(
        finish: String = base + "/SAMLAuthLauncher", header: String? = "com.sap.cloud.security.login"
    ) throws -> SAML2Config {
        try SAML2Config(
            identifyingHeader: header, finishEndpoint: TargetURL(finish), finishParameter: "finishEndpointParam")
    }

    struct Provider: SAML2ConfigProvider {
        var config = Result { try SessionServer.config() }
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
            target.origin.host.hasSuffix("example.com") ? try config.get() : nil
        }
    }

    struct CodeProvider: OTPConfigProvider {
        var config = OTPConfig.sap
        func otpConfig(for target: TargetURL) async throws -> OTPConfig? {
            target.origin.host == "sp.example.com" ? config : nil
        }
    }

    // MARK: Pages

    /// The result of a person's login: the session's cookie, and one of the identity provider.
    func logIn(_ login: WebLogin) -> WebLoginOutcome {
        let (number, path) = state.withLock { state in
            state.logins += 1
            if login.purpose == .otp {
                state.factors.insert("f\(state.logins)")
            } else {
                state.sessions.insert("s\(state.logins)")
            }
            return (state.logins, state.cookiePath)
        }
        let isCode = login.purpose == .otp
        let own = Cookie(
            name: isCode ? "FACTOR" : "SESSION", value: isCode ? "f\(number)" : "s\(number)", domain: "sp.example.com",
            isHostOnly: true, path: path, isSecure: true, isHttpOnly: true)
        let foreign = Cookie(name: "IDP", value: "canary", domain: "idp.example.net", isHostOnly: true)
        let finish =
            isCode ? "\(Self.base)/done?x=1&finished=true" : "\(Self.base)/SAMLAuthLauncher?finishEndpointParam"
        return WebLoginOutcome(url: finish, cookies: [foreign, own])
    }

    // MARK: Exchanges

    func transport() -> ScriptedTransport {
        ScriptedTransport { request, _ throws(ConversationError) in
            let answer = self.answer(request)
            for place in self.held where request.target.path.hasPrefix(place.prefix) { await place.pass() }
            return answer
        }
    }

    func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        let cookies = Set(
            (request.headerFields[.cookie] ?? "").split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
        return state.withLock { state in
            let hasSession = state.sessions.contains { cookies.contains("SESSION=\($0)") }
            let isFree = request.target.path.hasPrefix("/free")
            guard isFree || hasSession else {
                state.challenges += 1
                return Self.challenge(state.style)
            }
            if request.target.path.hasPrefix("/otp-") || request.target.path.hasPrefix("/free/otp-"),
                !state.factors.contains(where: { cookies.contains("FACTOR=\($0)") })
            {
                state.challenges += 1
                var fields: HTTPFields = [.location: "/otp?back=\(request.target.path)"]
                fields[HTTPField.Name("x-smp-authentication") ?? .location] = " otp-challenge "
                return .init(.found, fields)
            }
            state.served.append("\(request.method.rawValue) \(request.target.requestTarget)")
            return .init(.ok, [.contentType: "application/json"], body: "item \(request.target.requestTarget)")
        }
    }

    static let page = """
        <!DOCTYPE html><html><body onload="document.forms[0].submit()"><form method="post" \
        action="https&#58;//idp.example.net/sso"><input type="hidden" name="SAMLRequest" value="PHNhbWxw"/>\
        <input type="hidden" name="RelayState" value="ss&#58;mem&#58;1"/></form></body></html>
        """

    private static func challenge(_ style: Style) -> ScriptedTransport.Answer {
        var fields: HTTPFields = [.contentType: "text/html"]
        let mark = HTTPField.Name("com.sap.cloud.security.login") ?? .location
        let idp = "https://idp.example.net/sso?x=1&SAMLRequest=fZFN&RelayState=r"
        switch style {
        case .form: return .init(.ok, fields, body: page)
        case .formOn401: return .init(.unauthorized, fields, body: page)
        case .formOn403: return .init(.forbidden, fields, body: page)
        case .header:
            fields[mark] = "login-request"
            return .init(.ok, fields)
        case .headerOn500:
            return .init(.internalServerError, [mark: ""], body: "{}")
        case .redirect: return .init(.found, [.location: idp])
        case .redirectWithHeader: return .init(.seeOther, [.location: "/mellon/login", mark: ""])
        }
    }
}
