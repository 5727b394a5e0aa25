package import HttpC
package import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The question of kubectl to its credential plugin, in the variable `KUBERNETES_EXEC_INFO`
/// (client.authentication.k8s.io).
package struct KubernetesCredentialRequest: Sendable {
    private let version: String
    /// The cluster's server; nil unless the plugin's configuration has `provideClusterInfo`.
    package let servers: [TargetURL]
    /// Whether the client says that it does not check the server's certificate.
    let isInsecure: Bool

    private static let group = "client.authentication.k8s.io/"
    private static let versions = ["v1", "v1beta1"].map { group + $0 }

    /// - Parameter text: the variable's value; nil if there is none
    package init(_ text: String?) throws(CommandFailure) {
        guard let text else {
            (version, servers, isInsecure) = (Self.group + "v1", [], false)
            return
        }
        guard text.utf8.count <= 1 << 20, let members = JSONValue.object(Array(text.utf8)),
            members["kind"]?.text == "ExecCredential", let asked = members["apiVersion"]?.text
        else { throw CommandFailure(.usage, "KUBERNETES_EXEC_INFO is not the question of a Kubernetes client.") }
        guard Self.versions.contains(asked) else {
            throw CommandFailure(
                .usage,
                "The client asks by another version of its protocol. Set apiVersion of the plugin to one of: "
                    + "\(Self.versions.joined(separator: ", ")).")
        }
        version = asked
        let cluster = members["spec"]?["cluster"]
        isInsecure = cluster?["insecure-skip-tls-verify"]?.bool ?? false
        guard let server = cluster?["server"]?.text else {
            servers = []
            return
        }
        servers = try HelperTarget.urls(server)
        // Clients of Kubernetes may take a host alone for http.
        guard HelperTarget.hasScheme(server) || servers.allSatisfy(\.origin.isLoopback) else {
            throw CommandFailure(
                .usage,
                "The client names its server without https://, and may send the credential in clear. Write https:// in front of the server in kubectl's configuration."
            )
        }
    }

    /// The answer as JSON.
    package func answer(_ credential: KubernetesCredential) -> String {
        let status: [(String, String?)] = [
            ("token", credential.token?.value), ("expirationTimestamp", credential.end?.formatted(.iso8601)),
            ("clientCertificateData", credential.certificates), ("clientKeyData", credential.key?.value),
        ]
        return HelperJSON.object([
            ("apiVersion", .text(version)), ("kind", .text("ExecCredential")),
            ("status", .object(status.map { ($0, $1.map { .text($0) }) })),
        ]).line
    }
}

/// A profile's login at a cluster: a token, a client certificate, or both.
package struct KubernetesCredential: Sendable {
    let token: Redacted<String>?
    /// The end of the token, if it is known.
    let end: Date?
    /// In PEM, the client's own first.
    let certificates: String?
    /// In PEM.
    let key: Redacted<String>?
}

extension CredentialLender {
    /// The place of a cluster.
    ///
    /// - Parameters:
    ///   - named: the cluster's server as the person has configured it; nil: the first URL of --profile
    ///   - asked: the server that the client talks to; empty if it did not say. It must be of the same profile
    package func place(named: [TargetURL]?, asked: [TargetURL]) throws(CommandFailure) -> Place {
        let server = try place(asked)
        var configured = server
        if let named { configured = try place(named) } else if asked.isEmpty { configured = try firstPlace() }
        guard let found = configured else {
            throw CommandFailure(
                .usage,
                "No profile is for this cluster: name a URL inside the match of one, or --profile, and check the server of kubectl's configuration."
            )
        }
        guard asked.isEmpty || server?.profile.name == found.profile.name else {
            throw CommandFailure(
                .usage,
                "The profile \"\(found.profile.name)\" is not for the server that the client talks to: its match does not have it."
            )
        }
        return server ?? found
    }

    /// The login at a cluster: the profile's access token, or its ID token with `id-token = true`, and its certificate.
    package func kubernetesCredential(
        for place: Place, asked request: KubernetesCredentialRequest
    ) async throws(CommandFailure) -> KubernetesCredential {
        try requireProtected(place)
        guard !request.isInsecure || !checksCertificates else {
            throw CommandFailure(
                .loginFailed,
                "The client does not check the certificate of \(place.url.origin), so a credential could go to anybody. Remove insecure-skip-tls-verify from kubectl's configuration and give it the certificate-authority, or give httpc -k."
            )
        }
        let name = place.profile.name
        var (token, end): (Redacted<String>?, Date?)
        if let oauth2 = place.profile.oauth2, let tokens = try await tokens(of: place) {
            if oauth2.lendsIDToken {
                (token, end) = try await idToken(tokens, at: place)
            } else {
                (token, end) = (tokens.accessToken, tokens.expiresAt)
            }
        }
        let identity = try await identity(of: place)
        guard token != nil || identity != nil else {
            throw CommandFailure(
                .usage,
                "The profile \"\(name)\" has no login for Kubernetes at \(place.url.origin): it needs an oauth2 table or a cert table that is for this server."
            )
        }
        return KubernetesCredential(
            token: token, end: end,
            certificates: identity?.pemCertificates, key: identity?.pemPrivateKey)
    }

    /// The ID token, which ends by itself, and perhaps before the access token.
    private func idToken(
        _ tokens: OAuth2Tokens, at place: Place
    ) async throws(CommandFailure) -> (Redacted<String>, Date?) {
        if let found = Self.lastingIDToken(tokens) { return found }
        if tokens.idToken != nil {
            try await refuse(tokens.accessToken.value, at: place)
            if let found = try await self.tokens(of: place).flatMap(Self.lastingIDToken) { return found }
        }
        let name = place.profile.name
        throw CommandFailure(
            .loginFailed,
            "The server gave no ID token that is still valid. Add \"openid\" to the scopes of [profiles.\(name).oauth2] and run: \(place.profile.commandLine("login"))"
        )
    }

    private static func lastingIDToken(_ tokens: OAuth2Tokens) -> (Redacted<String>, Date?)? {
        guard let token = tokens.idToken, let claims = JSONWebTokenText(token.value)?.claims,
            let end = claims["exp"]?.number.flatMap({ PeerNumber.date(secondsSince1970: $0) })
        else { return nil }
        return end > Date() + 30 ? (token, end) : nil
    }

    /// The certificate that the profile has for the place, with its key.
    private func identity(of place: Place) async throws(CommandFailure) -> ClientIdentity? {
        guard let file = place.profile.certificate,
            file.origins.map({ $0.contains(place.url.origin) }) ?? true
        else { return nil }
        return try await file.identity()
    }
}
