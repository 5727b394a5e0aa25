public import HttpConversation

/// Lets a manager's requests to a mobile server say which application, device and connection they are of.
///
/// A ``RegistrationClient`` configures its manager by itself; others of the same session need this. The fields
/// `X-SMP-APPCID`, `X-SMP-APPID` and `X-SMP-DEVICEID` go to the server's root and what is below it, nowhere else.
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
    /// - Parameter current: the application; nil: none so far. Asked before every exchange: answers quickly
    public init(current: @escaping @Sendable () -> MobileApplication?) {
        id = "MobileServices"
        self.current = current
    }

    /// The application; nil where it is not known yet.
    public var application: MobileApplication? { current() }

    /// Adds the filter, once however often.
    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.add(ApplicationHeaderFilter(current: current), id: id)
    }
}
