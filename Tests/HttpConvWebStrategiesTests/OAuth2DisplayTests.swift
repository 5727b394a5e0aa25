import HttpC
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// The redirect URI decides where an OAuth2 login is shown.
@Suite struct OAuth2DisplayTests {
    private static let endpoint = "https://login.example.com/authorize"

    /// The decision, or what the error says.
    private static func choice(
        _ redirect: String, endpoint: String? = endpoint, allowsWebView: Bool = false, on system: OAuth2Display.System
    ) throws -> String {
        let redirect = try OAuth2RedirectURI(redirect)
        let target = try endpoint.map { try TargetURL($0) }
        let needsListener = redirect.kind == .loopback && redirect.target?.origin != target?.origin
        do throws(OAuth2Error) {
            let display = try OAuth2Display(
                for: redirect, at: target, needsListener: needsListener, allowsWebView: allowsWebView, on: system)
            return "\(display)"
        } catch {
            #expect(error.code == .invalidConfiguration)
            return error.message
        }
    }

    private static let phone = OAuth2Display.System.application(
        associatedDomains: ["Links.example.com"], hasListener: false)
    private static let computer = OAuth2Display.System.application(associatedDomains: [], hasListener: true)

    @Test(arguments: [
        // A scheme of the application's, and a domain of its own: the session.
        ("com.example.app:/callback", false, "authenticationSession", "authenticationSession", "view"),
        ("https://links.example.com/callback", false, "authenticationSession", "no web view", "view"),
        ("https://links.example.com/callback", true, "authenticationSession", "view", "view"),
        // The session would take an answer of another origin for its own.
        ("https://links.example.com:8443/callback", false, "no web view", "no web view", "view"),
        ("https://evil.links.example.com/callback", false, "no web view", "no web view", "view"),
        // Any other https URI: only where the server's makers allow it (RFC 8252 §8.12).
        ("https://login.example.com/done", true, "view", "view", "view"),
        ("https://login.example.com/done", false, "no web view", "no web view", "view"),
        // A listener does not run behind a browser on a phone.
        ("http://127.0.0.1:0/callback", false, "needs a listener", "listener", "listener"),
        ("http://127.0.0.1:0/callback", true, "needs a listener", "listener", "listener"),
    ]) func theRedirectURIDecides(
        _ redirect: String, _ allowsWebView: Bool, _ phone: String, _ computer: String, _ linux: String
    ) throws {
        for (system, expected) in [
            (Self.phone, phone), (Self.computer, computer), (OAuth2Display.System.ownBrowser, linux),
        ] {
            let choice = try Self.choice(redirect, allowsWebView: allowsWebView, on: system)
            #expect(choice == expected || choice.contains(expected) && choice.contains("com.example.app:/callback"))
        }
    }

    /// A test server on this machine is its own redirect URI: no listener of ours is there.
    @Test func aServerOnThisMachine() throws {
        let own = "http://127.0.0.1:8080/sap"
        #expect(try Self.choice(own, endpoint: own, allowsWebView: true, on: Self.phone) == "view")
    }

    @Test func anotherApplicationsEndpoint() throws {
        for system in [Self.phone, Self.computer, .ownBrowser] {
            #expect(try Self.choice("com.example.app:/x", endpoint: nil, on: system) == "otherApplication")
        }
    }

    /// RFC 8252 §7.1: the scheme is a domain of the application's, in reverse order, as its bundle identifier is.
    @Test(
        arguments: [
            ("com.example.App-2", "com.example.app-2:/callback"), ("app", nil), ("", nil), (nil, nil),
            ("2com.example.app", nil), ("com.exämple.app", nil), ("com.example_app.x", nil),
        ] as [(String?, String?)]) func theApplicationsOwnScheme(_ identifier: String?, _ expected: String?)
    {
        #expect(OAuth2RedirectURI.application(identifier) == expected)
    }

    @Test func withoutASchemeTheErrorSaysWhatToRegister() async {
        let manager = HttpConversationManager(
            .oauth2(
                issuer: "https://login.example.com", clientID: "native", for: "https://api.example.com",
                grant: .authorizationCode(redirectURI: "")))
        let error = #expect(throws: ConversationError.self) { try manager.validate() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("com.example.app:/callback") == true, "\(String(describing: error))")
    }

    // MARK: The system's authentication session

    @Test(arguments: [
        ("com.example.app:/callback", OAuth2SessionCallback.scheme("com.example.app")),
        ("https://links.example.com/callback", .https(host: "links.example.com", path: "/callback")),
        ("https://links.example.com:8443/callback", nil), ("http://127.0.0.1:0/callback", nil),
    ]) func theEndOfASession(_ redirect: String, _ end: OAuth2SessionCallback?) throws {
        let redirect = try OAuth2RedirectURI(redirect)
        do throws(OAuth2Error) {
            let found = try OAuth2SessionCallback(redirect)
            #expect(found == end)
        } catch {
            #expect(end == nil && error.code == .invalidConfiguration)
            #expect(error.message.contains("\(redirect)"))
        }
    }

    @Test func sessionsWithoutAResult() {
        #expect(OAuth2Error.ofSession(true, nil).code == .cancelled)
        let failure = OAuth2Error.ofSession(false, CancellationError())
        #expect(failure.code == .loginFailed && failure.underlyingError is CancellationError)
    }
}
