@_exported public import HTTPTypes
@_exported public import HttpConvAuthFlows
@_exported public import HttpConvCertificates
@_exported public import HttpConvFiles
@_exported public import HttpConvWebStrategies
@_exported public import HttpConversation

#if canImport(Darwin)
@_exported public import HttpConversationURLSession
#else
@_exported public import HttpConversationNIO
#endif

extension HttpConversationManager {
    /// A manager over the platform's transport, which managers share, with the platform's public suffix list where the
    /// configuration has none.
    public convenience init(configuration: Configuration) {
        PlatformWebStrategies.install()
        self.init(transport: PlatformTransport.shared, configuration: configuration.withPlatformDefaults())
    }

    /// A manager over the platform's transport, with configurators that together stand for one person.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.password("alice", secret, for: "https://example.com"))
    /// ```
    /// What is wrong with them, such as text that is no URL, fails its first conversation and `validate()`.
    public convenience init(_ configurators: any ManagerConfigurator...) {
        self.init(configuration: Configuration(applying: configurators))
    }
}

extension HttpConversationManager.Configuration {
    /// With what the platform has, where nothing was said.
    func withPlatformDefaults() -> Self {
        var copy = self
        copy.publicSuffixes = publicSuffixes ?? .system
        // A proxy with a login is enough to go through it, whoever configures the rest.
        if !copy.challengeFilters.ids.contains(FlowID.proxyLogin) {
            copy.challengeFilters.add(ProxyLoginFilter(), id: FlowID.proxyLogin)
        }
        return copy
    }
}

/// The transport that managers use unless they are given another.
public enum PlatformTransport {
    #if canImport(Darwin)
    /// The system's URL loading system.
    public static let shared: any HTTPTransport = URLSessionTransport()
    #else
    /// SwiftNIO.
    public static let shared: any HTTPTransport = NIOTransport()
    #endif
}
