public import HttpConversation

/// Lets a manager's requests to a mobile server say which application, device and connection they are of.
///
/// A ``RegistrationClient`` configures its manager by itself; others of the same session need this. The fields
/// `X-SMP-APPCID`, `X-SMP-APPID` and `X-SMP-DEVICEID` go to the server's root and what is below it, nowhere else.
public struct MobileServicesConfigurator: ManagerConfigurator {
    /// The application.
    public let application: MobileApplication

    /// A configurator for an application.
    public init(for application: MobileApplication) { self.application = application }

    /// Adds the filter, once however often.
    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.add(ApplicationHeaderFilter(application: application), id: "MobileServices \(application)")
    }
}
