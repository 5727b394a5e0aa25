public import HttpConversation

/// Provides Kerberos tickets for servers and proxies that ask for them by Negotiate (RFC 4559).
///
/// A ticket tells the server who the person is, so no server gets one that is not named: there is no default.
///
/// ```swift
/// struct Office: NegotiateProvider {
///     func serves(_ destination: CredentialDestination) -> Bool { destination.target.origin == intranet }
///     func login(for challenge: AuthenticationChallenge) async throws -> KerberosLogin? { KerberosLogin() }
/// }
/// ```
public protocol NegotiateProvider: Sendable {
    /// Whether its tickets are for this destination. Called before ``login(for:)``, and before each exchange that would
    /// carry a ticket, so it must be fast.
    func serves(_ destination: CredentialDestination) -> Bool

    /// Whether its tickets are for this proxy. Default: false.
    func serves(_ proxy: ProxyServer) -> Bool

    /// Whether servers get tickets over plain http, where others can use them instead of the person. This machine and
    /// the provider's proxies always get them. Default: false.
    var allowsPlainHTTP: Bool { get }

    /// Whether it may ask a person, such as for a password: then its questions wait for the screen. Default: false.
    var isInteractive: Bool { get }

    /// The login whose tickets a server or proxy gets; nil: none. Equal logins share their tickets for the session.
    ///
    /// - Throws: any error; the conversations that wait for the answer fail with `.authenticationFailed`, with it as
    ///   the underlying error
    func login(for challenge: AuthenticationChallenge) async throws -> KerberosLogin?
}

extension NegotiateProvider {
    public func serves(_ proxy: ProxyServer) -> Bool { false }
    public var allowsPlainHTTP: Bool { false }
    public var isInteractive: Bool { false }

    /// Whether its tickets may go to a destination: the proxy, or the server (security rules S7 and S11).
    func allows(_ destination: CredentialDestination) -> Bool {
        if let proxy = destination.proxy { return serves(proxy) }
        return (allowsPlainHTTP || destination.target.origin.isSecure) && serves(destination)
    }
}

/// One Kerberos login for named servers, or for named proxies.
struct NamedNegotiateProvider: NegotiateProvider {
    let kerberos: KerberosLogin
    var origins: [Origin] = []
    var proxies: Set<Origin> = []
    var allowsPlainHTTP = false

    func serves(_ destination: CredentialDestination) -> Bool {
        origins.contains { $0.covers(destination.target.origin) }
    }

    func serves(_ proxy: ProxyServer) -> Bool { proxies.contains(proxy.origin) }

    func login(for challenge: AuthenticationChallenge) async throws -> KerberosLogin? { kerberos }
}
