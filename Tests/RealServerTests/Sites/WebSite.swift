import Foundation
import HttpC
import Testing

/// A site with a login that needs no finish endpoint, and the records for tests.
struct WebSite: Sendable {
    /// The sites by their software. The names of SAML2 sites say how requests and responses travel.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case mellonRedirect, mellonPost, mellonArtifact
        /// mod_auth_mellon over https. Over http, browsers drop its cookie with `SameSite=None`, so they never get in.
        case mellonSecure
        case shibbolethRedirect, shibbolethPost, shibbolethArtifact
        /// mod_auth_openidc. The provider is django-oauth-toolkit, which answers in the query.
        case openID
        /// mod_auth_openidc. The provider is LemonLDAP::NG, which answers by a form that posts itself.
        case openIDFormPost
        /// mod_auth_cas. The server is LemonLDAP::NG.
        case cas
        /// Django's own login.
        case django
        case wordpress

        static let serviceProviders = [
            mellonRedirect, mellonPost, mellonArtifact, shibbolethRedirect, shibbolethPost, shibbolethArtifact,
        ]
        /// The service providers that a browser gets into.
        static let browserServiceProviders = [mellonSecure, shibbolethRedirect, shibbolethPost, shibbolethArtifact]
        static let relyingParties = [openID, openIDFormPost, cas, django]

        var testDescription: String { rawValue }

        var server: ServerKind {
            switch self {
            case .mellonRedirect, .mellonPost, .mellonArtifact, .mellonSecure: .saml
            case .shibbolethRedirect, .shibbolethPost, .shibbolethArtifact: .saml
            case .openID, .openIDFormPost, .cas, .django: .oauth
            case .wordpress: .wordpress
            }
        }
    }

    let kind: Kind
    let server: RealServer

    static func running(_ kind: Kind) async throws -> WebSite {
        WebSite(kind: kind, server: try await RealServers.shared.server(kind.server))
    }

    // MARK: Places

    /// The URL below which everything asks for the login.
    var base: String {
        switch kind {
        case .mellonRedirect: server.url("/redirect/")
        case .mellonPost: server.url("/post/")
        case .mellonArtifact: server.url("/artifact/")
        case .mellonSecure: server.url("/secure/", .third)
        case .shibbolethRedirect: server.url("/shibredirect/", .third)
        case .shibbolethPost: server.url("/shibpost/", .third)
        case .shibbolethArtifact: server.url("/shibartifact/", .third)
        case .openID: server.url("/private/", .second)
        case .openIDFormPost: server.url("/private/", .third)
        case .cas: server.url("/private/", .mutual13)
        case .django: provider + "/private/"
        case .wordpress: server.url("/wp-admin/")
        }
    }

    /// A page of the site.
    var page: String { base + (kind == .wordpress ? "profile.php" : "page") }

    /// Whether a text is the page, and not that of a login.
    func isPage(_ text: String) -> Bool {
        // The profile shows the user's name in a field that is switched off.
        kind == .wordpress ? text.contains("value=\"alice\" disabled=\"disabled\"") : text == Fixture.hello
    }

    /// A resource that shows the received request. WordPress has none.
    var sink: String { base + "sink" }

    /// The origin of the pages with forms.
    var provider: String {
        let url =
            switch kind {
            case .mellonRedirect, .mellonPost, .mellonArtifact: server.url("", .second)
            case .mellonSecure, .shibbolethRedirect, .shibbolethPost, .shibbolethArtifact:
                server.url("", .impatient)
            case .openID, .django: server.url("", .impatient)
            case .openIDFormPost, .cas: server.url("", .multiplexed)
            case .wordpress: server.url("")
            }
        // Another host than the sites', because cookies are shared by all ports.
        return kind == .wordpress ? url : url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    }

    /// The names of the fields for user name and password.
    var fields: (user: String, password: String) {
        switch kind {
        case .wordpress: ("log", "pwd")
        case .openIDFormPost, .cas: ("user", "password")
        default: ("username", "password")
        }
    }

    /// The user, whom the provider knows. LemonLDAP::NG has its own.
    var user: TestUsers.User {
        [.openIDFormPost, .cas].contains(kind) ? TestUsers.User(name: "dwho", password: "dwho") : TestUsers.alice
    }

    /// The URL prefix to which an unauthenticated request is redirected. Returns nil for SAML2.
    var loginPrefix: String? {
        switch kind {
        case .openID: provider + "/o/authorize/"
        case .openIDFormPost: provider + "/oauth2/authorize"
        case .cas: provider + "/cas/login"
        case .django: provider + "/login/"
        case .wordpress: server.url("/wp-login.php")
        default: nil
        }
    }

    // MARK: Records

    /// The number of logins, as the server's own log has them. WordPress and LemonLDAP::NG log also those that fail.
    func logins() throws -> Int {
        switch kind {
        case .openID, .django:
            try server.received(below: "/login/").count { $0.method == "POST" && $0.line.contains("\"302\"") }
        case .openIDFormPost: try server.log("lemonldap.log", with: "\"POST /oauth2/authorize").count
        case .cas: try server.log("lemonldap.log", with: "\"POST /cas/login").count
        case .wordpress: try server.received(below: "/wp-login.php").count { $0.method == "POST" }
        default: try SAMLSite(kind: .redirect, server: server).logins()
        }
    }

    /// Ends a session at the site, as after an expiry: the client keeps its cookies.
    func endSession(of cookies: [Cookie]) async throws {
        if kind == .cas { return try endCASSessions() }
        let end =
            switch kind {
            case .mellonRedirect, .mellonPost, .mellonArtifact, .mellonSecure:
                base + "mellon/invalidate?ReturnTo=\(base)page"
            case .shibbolethRedirect, .shibbolethPost, .shibbolethArtifact: base + "Shibboleth.sso/Logout"
            case .openID, .openIDFormPost: base + "redirect?logout=get"
            case .cas: ""
            case .django: server.url("/control/end-sessions")
            case .wordpress: server.url("/open/end.php")
            }
        let target = try TargetURL(end)
        var request = try HTTPRequest(.get, end)
        // Cookies are shared by the sites of a host: the others' sessions stay.
        request.headerFields[.cookie] = cookies.filter { ownsCookie($0.name) && $0.domain == target.origin.host }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        var configuration = HttpConversationManager.Configuration()
        configuration.redirects.follows = false
        let manager = HttpConversationManager(transport: try await Library.transport(), configuration: configuration)
        let response = try await manager.data(for: request)
        try #require(response.status.code < 400, "\(end): \(response.status)")
    }

    /// mod_auth_cas has a file for each session.
    private func endCASSessions() throws {
        let folder = server.directory.appending(path: "cas")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private func ownsCookie(_ name: String) -> Bool {
        switch kind {
        case .mellonRedirect: name == "mellon-redirect"
        case .mellonPost: name == "mellon-post"
        case .mellonArtifact: name == "mellon-artifact"
        case .mellonSecure: name == "mellon-secure"
        case .shibbolethRedirect, .shibbolethPost, .shibbolethArtifact: name.hasPrefix("_shibsession_")
        case .openID: name == "openidc-relying"
        case .openIDFormPost: name == "openidc-posted"
        case .cas: name == "MOD_AUTH_CAS_S"
        case .django, .wordpress: true
        }
    }
}
