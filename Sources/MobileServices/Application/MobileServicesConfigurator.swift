public import HttpConversation

/// Adds the application, device and connection to a manager's requests to a mobile server.
///
/// A ``RegistrationClient`` configures its own manager. Other managers of the same session need this. The fields
/// `X-SMP-APPCID`, `X-SMP-APPID` and `X-SMP-DEVICEID` go only to the server's root and paths below it.
public struct MobileServicesConfigurator: ManagerConfigurator {
    private let id: String
    private let current: @Sendable () -> MobileApplication?

    /// A configurator for an application.
    public init(for application: MobileApplication) {
        id = "MobileServices \(application)"
        current = { application }
    }

    /// A configurator for an application whose server is not known yet, or may change.
    ///
    /// - Parameter current: returns the application; nil: none yet. It is called before every exchange, so it must be
    ///   quick
    public init(current: @escaping @Sendable () -> MobileApplication?) {
        id = "MobileServices"
        self.current = current
    }

    /// The application; nil if it is not known yet.
    public var application: MobileApplication? { current() }

    /// Adds the filter. Further calls change nothing.
    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.add(ApplicationHeaderFilter(current: current), id: id)
    }
}
