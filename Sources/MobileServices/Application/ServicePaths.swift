/// The paths of a mobile server's services besides registration, below its root.
///
/// `{appid}` stands for the application's id. The paths can be changed, because servers differ.
public struct ServicePaths: Hashable, Sendable {
    /// The settings that a cloud service exchanges with its applications.
    public var settingsExchange =
        "mobileservices/application/{appid}/Storage/v1/runtime/application/{appid}/global/mobileservices/settingsExchange"
    /// The uploads of logs and traces.
    public var traces = "mobileservices/application/{appid}/clientlogs/v1/runtime/log/application/{appid}"
    /// The customization bundles. A bundle's name follows. With public access, the path begins with `public/`.
    public var bundles = "bundles/{appid}"
    /// The logout, which ends the session.
    public var logOut = "mobileservices/sessions/logout"

    /// The paths of the cloud service.
    public init() {}
}
