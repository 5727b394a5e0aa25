import HTTPTypes
import HttpConversation

/// Tells a mobile server the application, device and connection of a request. Other servers do not get these fields
/// (security rule S7).
struct ApplicationHeaderFilter: RequestFilter {
    let current: @Sendable () -> MobileApplication?

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard let application = current(), application.contains(request.target) else { return }
        // A registration leaves out the id: with an old one the server would return the old connection again.
        let registers = request.method == .post && request.target.path == application.connections.path
        let id = registers ? nil : RegisteredConnections.of(context.session).id(of: application)
        application.identify(&request.headerFields, connection: id)
    }
}

extension MobileApplication {
    /// Adds the fields by which the server knows the application, the device and the connection. Fields that the
    /// request already has stay.
    func identify(_ fields: inout HTTPFields, connection: String?) {
        for (name, value) in [(.applicationID, id), (.deviceID, deviceID), (.connectionID, connection)]
            as [(HTTPField.Name, String?)]
        {
            if let value, !fields.contains(name) { fields[name] = value }
        }
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let connectionID = HTTPField.Name("X-SMP-APPCID")!
    static let applicationID = HTTPField.Name("X-SMP-APPID")!
    static let deviceID = HTTPField.Name("X-SMP-DEVICEID")!
    static let bundleExtension = HTTPField.Name("X-BUNDLE-EXTENSION")!
    static let dataServiceVersion = HTTPField.Name("DataServiceVersion")!
    static let maximumDataServiceVersion = HTTPField.Name("MaxDataServiceVersion")!
}
