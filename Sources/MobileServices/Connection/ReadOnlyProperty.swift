public import Foundation

/// A property of a connection that the server sets, by its name in the service.
public struct ReadOnlyProperty<Value: ConnectionPropertyValue>: Sendable {
    /// The name in the service.
    public let name: String

    fileprivate init(_ name: String) { self.name = name }
}

extension ReadOnlyProperty where Value == String {
    /// Changes when the connection does.
    public static var eTag: Self { Self("ETag") }
    /// The connection's id.
    public static var applicationConnectionID: Self { Self("ApplicationConnectionId") }
    /// Whose connection it is.
    public static var userName: Self { Self("UserName") }
    /// How much the application is to log.
    public static var connectionLogLevel: Self { Self("ConnectionLogLevel") }
    /// The bundle that the server has for the application; nil where there is none.
    public static var customizationBundleID: Self { Self("CustomizationBundleId") }
    /// How much of its business transactions the application is to trace.
    public static var e2eTraceLevel: Self { Self("E2ETraceLevel") }
    /// The address of the back end that the server stands for.
    public static var proxyApplicationEndpoint: Self { Self("ProxyApplicationEndpoint") }
    /// Where the back end sends its push messages.
    public static var proxyPushEndpoint: Self { Self("ProxyPushEndpoint") }
}

extension ReadOnlyProperty where Value == Bool {
    /// Whether the application is to upload its logs.
    public static var uploadLogs: Self { Self("UploadLogs") }
    /// Whether all features are allowed.
    public static var featureVectorPolicyAllEnabled: Self { Self("FeatureVectorPolicyAllEnabled") }
}

extension ReadOnlyProperty where Value == Int {
    /// After how many days log entries are removed.
    public static var logEntryExpiry: Self { Self("LogEntryExpiry") }
}

extension ReadOnlyProperty where Value == Date {
    /// When it was registered.
    public static var createdAt: Self { Self("CreatedAt") }
}
