/// The settings of a URLSession's configuration without an equivalent in a conversation, as plain values. Values other
/// than the defaults are reported, because they would have no effect.
struct SessionSettings: Hashable {
    /// Versions of TLS by their numbers in the protocol (RFC 8446 §4.2.1), such as 0x0303.
    var minimumTLS: UInt16?
    var maximumTLS: UInt16?
    /// Whether several networks are used at once.
    var isMultipath = false
    /// The raw value of `NSURLRequest.NetworkServiceType`.
    var serviceType: UInt = 0
    /// The names of the protocol classes.
    var protocolClasses: [String] = []
    /// Whether a cache of the application's own keeps responses on disk.
    var hasOwnCache = false
    /// The raw value of `NSURLRequest.CachePolicy`.
    var cachePolicy: UInt = 0
    /// Whether there are proxies of the Network framework's, which are not those of `connectionProxyDictionary`.
    var hasProxyConfigurations = false
    /// Whether a cookie storage of the application's own has cookies that would not be sent.
    var hasOwnCookies = false
    /// Whether requests wait for DNS answers that are signed.
    var requiresDNSSEC = false
    /// Whether files are in a container that several applications share, which is for background sessions.
    var hasSharedContainer = false

    /// The names of the settings that are not as usual, each with what to do instead.
    func problems(usual: SessionSettings) -> [String] {
        let found: [(isOdd: Bool, words: String)] = [
            (
                minimumTLS != usual.minimumTLS || maximumTLS != usual.maximumTLS,
                "has other versions of TLS than usual (tlsMinimumSupportedProtocolVersion): say them in the application's NSAppTransportSecurity."
            ),
            (isMultipath, "uses several networks at once (multipathServiceType), which no conversation does."),
            (
                serviceType != usual.serviceType,
                "has a networkServiceType, which is not passed on: leave it out, or use a URLSession for that request."
            ),
            (
                protocolClasses != usual.protocolClasses,
                "has protocolClasses of its own, which would not be asked: make a transport of them (HTTPTransport)."
            ),
            (hasOwnCache, "has a urlCache of its own, and conversations have no cache: set it to nil."),
            (
                // As usual, and the two that ask for no cache.
                ![0, 1, 4].contains(cachePolicy),
                "has a requestCachePolicy that answers from a cache, and there is none: use the usual one."
            ),
            (
                hasProxyConfigurations,
                "has proxyConfigurations, which would not be used: say its proxies by connectionProxyDictionary."
            ),
            (
                hasOwnCookies,
                "has an httpCookieStorage with cookies, which would not be sent: put them into the manager's session (Configuration.session)."
            ),
            (requiresDNSSEC, "requires DNSSEC (requiresDNSSECValidation), which is not passed on."),
            (
                hasSharedContainer,
                "has a sharedContainerIdentifier, which is for background sessions: give the configuration an identifier, or leave it out."
            ),
        ]
        return found.filter(\.isOdd).map(\.words)
    }
}
