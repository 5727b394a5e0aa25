import HttpConvPlatform
import HttpConvVault

/// The known properties of a connection: their types, and whether the application may set them.
enum ConnectionSchema {
    enum Kind: Sendable {
        case string
        case boolean
        case integer
        case date

        /// Whether a value is of this type. Null always is.
        func accepts(_ value: PropertyValue) -> Bool {
            if value == .null { return true }
            return switch self {
            case .string: String(value) != nil
            case .boolean: Bool(value) != nil
            case .integer: Int(value) != nil
            case .date: Date(value) != nil
            }
        }
    }

    static let id = "ApplicationConnectionId"

    static let writable: [String: Kind] = kinds([
        .string: [
            "ApplicationVersion", "DeviceModel", "DeviceType", "DeviceSubType", "DevicePhoneNumber", "DeviceIMSI",
            "FormFactor", "UserLocale", "TimeZone", "LastKnownLocation", "PushGroup", "Email", "CustomCustom1",
            "CustomCustom2", "CustomCustom3", "CustomCustom4", "AndroidGcmRegistrationId", "ApnsDeviceToken",
            "MpnsChannelURI", "WnsChannelURI", "BlackberryDevicePin",
        ],
        .boolean: [
            "AndroidGcmPushEnabled", "ApnsPushEnable", "MpnsPushEnable", "WnsPushEnable", "BlackberryPushEnabled",
        ],
        .integer: ["BlackberryBESListenerPort"],
    ])

    static let readOnly: [String: Kind] = kinds([
        .string: [
            "ETag", id, "UserName", "ConnectionLogLevel", "CustomizationBundleId", "E2ETraceLevel",
            "ProxyApplicationEndpoint", "ProxyPushEndpoint", "AndroidGcmSenderId", "BlackberryPushAppID",
            "BlackberryPushBaseURL",
        ],
        .boolean: [
            "UploadLogs", "FeatureVectorPolicyAllEnabled", "CollectClientUsageReports",
            "EnableAppSpecificClientUsageKeys", "PublishedToMobilePlace", "InAppMessaging",
        ] + PasswordPolicy.Flag.allCases.map { "PasswordPolicy\($0.rawValue)" },
        .integer: [
            "LogEntryExpiry", "MaxConnectionWaitTimeForClientUsage", "BlackberryPushListenerPort",
            "BlackberryListenerType",
        ] + PasswordPolicy.Number.allCases.map { "PasswordPolicy\($0.rawValue)" },
        .date: ["CreatedAt"],
    ])

    private static func kinds(_ names: [Kind: [String]]) -> [String: Kind] {
        names.reduce(into: [:]) { result, entry in
            for name in entry.value { result[name] = entry.key }
        }
    }

    static func kind(of name: String) -> Kind? { writable[name] ?? readOnly[name] }
}
