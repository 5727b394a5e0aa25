import Foundation
import Testing

/// A service provider of the SAML2 server: everything below `/name/`.
///
/// Its identity provider, SimpleSAMLphp, is at `localhost`, which is another host, because cookies are shared by all
/// ports.
struct SAMLSite: Sendable {
    /// The bindings between service provider and identity provider, and further options.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// Requests by the Redirect binding, responses by the POST binding.
        case redirect
        /// Requests and responses by the POST binding.
        case post
        /// Requests by the Redirect binding, responses by the Artifact binding.
        case artifact
        /// As `redirect`, with sessions at the service provider that end after two seconds.
        case short
        /// As `post`, with SAP's identifying header in challenges.
        case marked
        /// As `post`, both over https.
        case secure

        var testDescription: String { rawValue }
    }

    let kind: Kind
    let server: RealServer

    static func running(_ kind: Kind) async throws -> SAMLSite {
        SAMLSite(kind: kind, server: try await RealServers.shared.server(.saml))
    }

    static let identifyingHeader = "com.sap.cloud.security.login"
    static let finishParameter = "finishEndpointParam"

    /// A URL below the service provider's path. `page` shows a text, and `sink` shows the received request.
    func url(_ path: String) -> String {
        server.url("/\(kind.rawValue)/\(path)", kind == .secure ? .third : .plain)
    }

    var origin: String { String(url("").dropLast(kind.rawValue.count + 2)) }

    /// The finish endpoint that the server's configuration makes.
    var finishEndpoint: String { url("finish") }

    /// A finish endpoint that needs no configuration of the server: mod_auth_mellon's own login page with the finish
    /// parameter, which returns to itself.
    var loginEndpoint: String {
        let finish = Self.encoded(url("mellon/login?\(Self.finishParameter)=1"))
        return url("mellon/login?ReturnTo=\(finish)")
    }

    /// The identity provider's page for logins.
    var identityProvider: String {
        server.url("", kind == .secure ? .impatient : .second)
            .replacingOccurrences(of: "127.0.0.1", with: "localhost")
    }

    /// The URL that ends the session of the request's cookie.
    var invalidation: String { url("mellon/invalidate?ReturnTo=\(Self.encoded(url("page")))") }

    /// The name of the session's cookie.
    var cookie: String { "mellon-\(kind.rawValue)" }

    /// The number of requests with a user name and a password.
    func passwordsSent() throws -> Int {
        try server.received(below: "/simplesaml/module.php/core/loginuserpass.php").count { $0.method == "POST" }
    }

    /// The number of logins in the identity provider's own log.
    func logins() throws -> Int {
        let log = server.directory.appending(path: "logs/simplesaml.log")
        guard FileManager.default.fileExists(atPath: log.path) else { return 0 }
        return try server.log("simplesaml.log", with: "successfully authenticated").count
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
