public import HttpConvPlatform

/// A property of a connection that the server sets, by its name in the service.
public struct ReadOnlyProperty<Value: ConnectionPropertyValue>: Sendable {
    /// The name in the service.
    public let name: String

    fileprivate init(_ name: String) { self.name = name }
}

extension ReadOnlyProperty where Value == String {
    /// The version of the connection.
    public static var eTag: Self { Self("ETag") }
    /// The connection's id.
    public static var applicationConnectionID: Self { Self("ApplicationConnectionId") }
    /// The user of the connection.
    public static var userName: Self { Self("UserName") }
    /// The log level for the application.
    public static var connectionLogLevel: Self { Self("ConnectionLogLevel") }
    /// The server's bundle for the application; nil if it has none.
    public static var customizationBundleID: Self { Self("CustomizationBundleId") }
    /// The trace level for the application's business transactions.
    public static var e2eTraceLevel: Self { Self("E2ETraceLevel") }
    /// The address of the back end behind the server.
    public static var proxyApplicationEndpoint: Self { Self("ProxyApplicationEndpoint") }
    /// The address to which the back end sends its push messages.
    public static var proxyPushEndpoint: Self { Self("ProxyPushEndpoint") }
}

extension ReadOnlyProperty where Value == Bool {
    /// Whether the application is to upload its logs.
    public static var uploadLogs: Self { Self("UploadLogs") }
    /// Whether all features are allowed.
    public static var featureVectorPolicyAllEnabled: Self { Self("FeatureVectorPolicyAllEnabled") }
}

extension ReadOnlyProperty where Value == Int {
    /// The days after which log entries are removed.
    public static var logEntryExpiry: Self { Self("LogEntryExpiry") }
}

extension ReadOnlyProperty where Value == Date {
    /// The time of the registration.
    public static var createdAt: Self { Self("CreatedAt") }
}
