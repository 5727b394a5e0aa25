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
    /// Creates a manager over the platform's transport, which managers share. The public suffix list defaults to the
    /// platform's.
    public convenience init(configuration: Configuration) {
        PlatformWebStrategies.install()
        self.init(transport: PlatformTransport.shared, configuration: configuration.withPlatformDefaults())
    }

    /// Creates a manager over the platform's transport. All its configurators belong to one person.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.password("alice", secret, for: "https://example.com"))
    /// ```
    /// A mistake in them, such as an invalid URL, fails the first conversation and `validate()`.
    public convenience init(_ configurators: any ManagerConfigurator...) {
        self.init(configuration: Configuration(applying: configurators))
    }
}

extension UserSessions {
    /// Creates an empty registry over the platform's transport. The public suffix list defaults to the platform's.
    ///
    /// - Parameters:
    ///   - limits: how many sessions are kept, and for how long
    ///   - make: makes the configuration of one user's manager, with configurators of that user alone
    public convenience init(
        limits: Limits = Limits(),
        make: @escaping @Sendable (User) async throws -> HttpConversationManager.Configuration
    ) {
        PlatformWebStrategies.install()
        self.init(transport: PlatformTransport.shared, limits: limits) { try await make($0).withPlatformDefaults() }
    }
}

extension HttpConversationManager.Configuration {
    /// A copy with the platform's defaults for values that are not set.
    func withPlatformDefaults() -> Self {
        var copy = self
        copy.publicSuffixes = publicSuffixes ?? .system
        // A proxy that is configured with its login needs no configurator.
        if !copy.challengeFilters.ids.contains(FlowID.proxyLogin) {
            copy.challengeFilters.add(ProxyLoginFilter(), id: FlowID.proxyLogin)
        }
        return copy
    }
}

/// The default transport of managers.
public enum PlatformTransport {
    #if canImport(Darwin)
    /// The system's URL loading system.
    public static let shared: any HTTPTransport = URLSessionTransport()
    #else
    /// SwiftNIO.
    public static let shared: any HTTPTransport = NIOTransport()
    #endif
}
