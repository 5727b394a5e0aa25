/// Where a mobile server has its services beside registration, below its root.
///
/// `{appid}` stands for the application's id. Servers differ: the paths can be changed.
public struct ServicePaths: Hashable, Sendable {
    /// The settings that a cloud service exchanges with its applications.
    public var settingsExchange =
        "mobileservices/application/{appid}/Storage/v1/runtime/application/{appid}/global/mobileservices/settingsExchange"
    /// Where logs and traces go.
    public var traces = "mobileservices/application/{appid}/clientlogs/v1/runtime/log/application/{appid}"
    /// Where customization bundles are; the name of one follows. In public access after `public/`.
    public var bundles = "bundles/{appid}"
    /// Ends the session.
    public var logOut = "mobileservices/sessions/logout"

    /// The paths of the cloud's service.
    public init() {}
}
