import HttpConvFormats

/// A redirect of a modifying request to a login: the server has not processed the request, so it is sent again after
/// the login. Any other redirect that turns it into a GET is an answer, and the request is not sent again.
///
/// The destination's query decides: either it is a request to an identity provider, or it names the requested URL as
/// the place to return to, such as `ReturnTo` of mod_auth_mellon.
struct LoginDetour: Hashable, Sendable {
    /// The URL of the modifying request.
    let source: TargetURL
    /// Whether the identity provider was reached: after that, every redirect is part of the login.
    let reachesLogin: Bool

    private init(source: TargetURL, reachesLogin: Bool) {
        self.source = source
        self.reachesLogin = reachesLogin
    }

    /// Nil if the redirect looks like an answer.
    init?(from source: TargetURL, to destination: TargetURL) {
        let reachesLogin = Self.isLoginRequest(destination)
        guard reachesLogin || Self.returns(from: destination, to: source) else { return nil }
        self.init(source: source, reachesLogin: reachesLogin)
    }

    /// The detour after the next redirect; nil if that is not part of a login for the modifying request.
    func following(from stop: TargetURL, to destination: TargetURL) -> LoginDetour? {
        if reachesLogin { return self }
        if isContradicted(at: stop, by: destination) { return nil }
        if Self.isLoginRequest(destination) { return LoginDetour(source: source, reachesLogin: true) }
        return Self.returns(from: destination, to: source) ? self : nil
    }

    /// Whether a login returns to the present stop: then the stop is the server's answer, and not part of a login.
    func isContradicted(at stop: TargetURL, by destination: TargetURL) -> Bool {
        !reachesLogin && Self.returns(from: destination, to: stop)
    }

    /// Whether the URL is an authentication request of SAML2 (saml-bindings-2.0 §3.4), OAuth2 (RFC 6749 §4.1.1) or
    /// WS-Federation (§13.2.1).
    private static func isLoginRequest(_ destination: TargetURL) -> Bool {
        var names: Set<String> = []
        for (name, value) in parameters(of: destination) where !value.isEmpty {
            if name == "wa", value == "wsignin1.0" { return true }
            names.insert(name)
        }
        return names.contains("SAMLRequest") || names.isSuperset(of: ["response_type", "client_id"])
    }

    /// Whether a parameter is the URL of `source`, or its path and query. Ignores scheme and port, which a proxy before
    /// the server may have changed.
    private static func returns(from destination: TargetURL, to source: TargetURL) -> Bool {
        parameters(of: destination).contains { _, value in
            let isPath = value.utf8.first == UInt8(ascii: "/")
            guard let target = isPath ? try? source.resolving(value) : try? TargetURL(value) else { return false }
            return target.requestTarget == source.requestTarget && target.origin.host == source.origin.host
        }
    }

    private static func parameters(of url: TargetURL) -> [(name: String, value: String)] {
        (url.query ?? "").split(ascii: "&").compactMap { $0.cut(atASCII: "=") }.map { name, value in
            (
                String(decoding: name.percentDecoded, as: UTF8.self),
                String(decoding: value.percentDecoded, as: UTF8.self)
            )
        }
    }
}
