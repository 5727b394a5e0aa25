import HttpConvFormats
public import HttpConvVault

/// The mobile server's settings for an application, read from a connection or from the cloud's settings exchange.
public struct ApplicationSettings: Hashable, Sendable, Codable {
    /// The policy for the vault's passcode.
    public let passwordPolicy: PasswordPolicy
    /// The settings of the log.
    public let log: LogSettings
    /// Whether all features are allowed.
    public let enablesAllFeatures: Bool
    /// The feature policies that belong to the connection.
    public let featureVectorPolicies: [FeatureVectorPolicy]
    /// The features that the settings exchange lists as restricted.
    public let restrictedFeatures: [FeatureVectorPolicy]

    init(_ connection: ApplicationConnection) throws(MobileServicesError) {
        let properties = connection.properties
        passwordPolicy = try PasswordPolicy(prefix: "PasswordPolicy", at: nil) { properties[named: $0] }
        log = LogSettings(
            level: properties[.connectionLogLevel], expiresInDays: properties[.logEntryExpiry],
            isUploadEnabled: properties[.uploadLogs] ?? false)
        enablesAllFeatures = properties[.featureVectorPolicyAllEnabled] ?? true
        featureVectorPolicies = connection.featureVectorPolicies
        restrictedFeatures = []
    }

    /// - Parameter document: the server's whole document, or its member `mobileservices.settingsExchange`
    init(exchanged document: JSONValue, at application: MobileApplication) throws(MobileServicesError) {
        let place = ExchangedPlace(json: document, application: application)
        let whole = try place.object("mobileservices")?.object("settingsExchange")
        let settings = if let whole { whole } else { try place.checked() }
        let policy = try settings.object("passwordPolicy")
        passwordPolicy = try PasswordPolicy(prefix: "passwordPolicy", at: application) {
            (name) throws(MobileServicesError) in try policy?.value(name)
        }
        let log = try settings.object("logSettings")
        self.log = LogSettings(
            level: try log?.read("logLevel", as: String.self),
            expiresInDays: try log?.read("logEntryExpiry", as: Int.self),
            isUploadEnabled: try log?.read("logEnabled", as: Bool.self) ?? false)
        let features = try settings.object("featureVectorPolicies")
        enablesAllFeatures = try features?.read("featureVectorPolicyAllEnabled", as: Bool.self) ?? true
        restrictedFeatures = (features?.json["restrictedPolicies"]?.elements ?? []).compactMap { json in
            ServiceEntity(json).map(FeatureVectorPolicy.init)
        }
        featureVectorPolicies = []
    }
}

/// An object of the exchanged settings. Its members must have the right type or be missing.
private struct ExchangedPlace {
    let json: JSONValue
    let application: MobileApplication

    func checked() throws(MobileServicesError) -> ExchangedPlace {
        guard case .object = json else { throw wrongType("settingsExchange", "JSON object") }
        return self
    }

    func object(_ name: String) throws(MobileServicesError) -> ExchangedPlace? {
        guard let member = json[name], member != .null else { return nil }
        guard case .object = member else { throw wrongType(name, "JSON object") }
        return ExchangedPlace(json: member, application: application)
    }

    func value(_ name: String) throws(MobileServicesError) -> PropertyValue? {
        guard let member = json[name] else { return nil }
        guard let value = PropertyValue(member) else { throw wrongType(name, "single value") }
        return value
    }

    func read<Value: ConnectionPropertyValue>(
        _ name: String, as type: Value.Type
    ) throws(MobileServicesError) -> Value? {
        guard let given = try value(name), given != .null else { return nil }
        guard let value = Value(given) else { throw wrongType(name, "\(type)") }
        return value
    }

    private func wrongType(_ name: String, _ expected: String) -> MobileServicesError {
        MobileServicesError(
            .wrongType,
            "The settings of \(application) have a \(name) of another type than \(expected). Tell the administrator.",
            property: name)
    }
}

/// The mobile server's settings for an application's log.
public struct LogSettings: Hashable, Sendable, Codable {
    /// The level by its name in the service, such as `NONE` or `DEBUG`; nil if the server does not send it.
    public let level: String?
    /// The days after which entries are removed; nil if the server does not send them.
    public let expiresInDays: Int?
    /// Whether the log may be uploaded.
    public let isUploadEnabled: Bool
}
