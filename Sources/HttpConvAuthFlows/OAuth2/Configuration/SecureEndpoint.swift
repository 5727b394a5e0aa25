import HttpConversation

/// Checks endpoints of OAuth2: https, or this machine (security rule S11).
enum SecureEndpoint {
    /// Parses and checks an endpoint.
    ///
    /// - Parameter name: the endpoint's name for the error
    static func parse(_ url: some TargetURLConvertible, _ name: String) throws(OAuth2Error) -> TargetURL {
        let target: TargetURL
        do { target = try url.targetURL() } catch {
            throw OAuth2Error(
                .invalidConfiguration, "The \(name) is not an http or https URL: \(error.message)",
                underlyingError: error)
        }
        try require(target, name)
        return target
    }

    /// Parses and checks an endpoint; nil if there is none.
    static func parse(ifGiven url: (any TargetURLConvertible)?, _ name: String) throws(OAuth2Error) -> TargetURL? {
        guard let url else { return nil }
        return try parse(url, name)
    }

    /// Parses and checks an endpoint that a server's document names. A server elsewhere must not make this client, or the
    /// person's browser, ask this machine: services on it trust every client that reaches them.
    ///
    /// - Parameter server: the origin of the document
    static func parse(_ url: String, _ name: String, namedBy server: Origin) throws(OAuth2Error) -> TargetURL {
        let target = try parse(url, name)
        guard mayName(target.origin, at: server) else {
            throw OAuth2Error(
                .insecureEndpoint,
                "The \(name) \(target) is on this machine, which only a server on this machine may name.",
                endpoint: target)
        }
        return target
    }

    /// Whether a server may name a place on another origin, or on its own.
    static func mayName(_ origin: Origin, at server: Origin) -> Bool {
        server.isLoopback || !(origin.isLoopback || origin.isLocalName)
    }

    /// The origins of servers that may get tokens.
    static func origins(_ urls: [any TargetURLConvertible]) throws(OAuth2Error) -> Set<Origin> {
        do throws(ConversationError) { return try urls.origins() } catch {
            throw OAuth2Error(
                .invalidConfiguration, "A token origin is not an http or https URL: \(error.message)",
                underlyingError: error)
        }
    }

    static func require(_ target: TargetURL, _ name: String) throws(OAuth2Error) {
        guard target.origin.isSecure else {
            throw OAuth2Error(
                .insecureEndpoint,
                "The \(name) \(target) is plain http on another machine: secrets are sent over https only.",
                endpoint: target)
        }
        guard target.fragment == nil, target.userinfo == nil else {
            throw OAuth2Error(
                .invalidConfiguration,
                "The \(name) \(target) has a fragment or user information: leave it out (RFC 6749 §3.2).")
        }
    }
}
