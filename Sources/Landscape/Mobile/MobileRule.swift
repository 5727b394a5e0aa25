/// Habits of the landscape's mobile server.
package struct MobileRule: Sendable, Hashable {
    /// The methods that change a connection.
    package var updateMethods: Set<String> = ["PUT", "MERGE", "PATCH"]
    /// Whether a PUT takes away what it does not name; else it keeps that, like MERGE.
    package var putReplaces = true
    /// Whether a new connection's id is in the answer's entity.
    package var namesConnection = true
    /// Whether a new connection's id is set as a cookie.
    package var setsConnectionCookie = true
    /// How long a session lasts without being used, by the landscape's clock.
    package var sessionLifetime: Duration = .seconds(1800)
    /// Properties of every connection beside its own, with the values of JSON; those of the policy among them.
    package var properties: [String: MobileValue] = MobileRule.usual
    /// What the settings exchange says, as JSON.
    package var exchangedSettings: String = MobileRule.usualExchange
    /// What goes wrong with answers about connections; nil: nothing.
    package var fault: MobileFault?
    /// What `/.well-known/mobile-logon` says, as JSON; nil: nothing.
    package var discovery: String? = #"{"server":{"host":"mobile.example.com"}}"#
    /// What goes wrong there.
    package var discoveryFault: MobileDiscoveryFault?
    /// What goes wrong where a client looks for a server.
    package var fronts: [MobileFront: MobileFrontFault] = [:]

    /// What real servers do.
    package init() {}

    private static let usual: [String: MobileValue] = [
        "ConnectionLogLevel": .text("NONE"), "CustomizationBundleId": .text("App:1.0"), "E2ETraceLevel": .text("Low"),
        "LogEntryExpiry": .number(7), "UploadLogs": .flag(true), "FeatureVectorPolicyAllEnabled": .flag(true),
        "ProxyApplicationEndpoint": .text("https://erp.example.com/sap/opu/odata/"), "ProxyPushEndpoint": .none,
        "PasswordPolicyEnabled": .flag(true), "PasswordPolicyDefaultPasswordAllowed": .flag(false),
        "PasswordPolicyMinLength": .number(8), "PasswordPolicyDigitRequired": .flag(true),
        "PasswordPolicyUpperRequired": .flag(false), "PasswordPolicyLowerRequired": .flag(false),
        "PasswordPolicySpecialRequired": .flag(false), "PasswordPolicyExpiresInNDays": .number(90),
        "PasswordPolicyMinUniqueChars": .number(4), "PasswordPolicyLockTimeout": .number(300),
        "PasswordPolicyRetryLimit": .number(10), "PasswordPolicyFingerprintEnabled": .flag(true),
        "MaxConnectionWaitTimeForClientUsage": .number(30), "LandscapeNote": .text("kept"),
    ]

    private static let usualExchange = """
        {"mobileservices":{"settingsExchange":{"passwordPolicy":{"passwordPolicyEnabled":"true",\
        "passwordPolicyDefaultPasswordAllowed":"false","passwordPolicyMinLength":"8",\
        "passwordPolicyDigitRequired":"true","passwordPolicyUpperRequired":"false",\
        "passwordPolicyLowerRequired":"false","passwordPolicySpecialRequired":"false",\
        "passwordPolicyExpiresInNDays":"90","passwordPolicyMinUniqueChars":"4","passwordPolicyLockTimeout":"300",\
        "passwordPolicyRetryLimit":"10","passwordPolicyFingerprintEnabled":"true"},\
        "featureVectorPolicies":{"featureVectorPolicyAllEnabled":"false","restrictedPolicies":\
        [{"name":"Camera","displayName":"The camera"}]},\
        "logSettings":{"logEntryExpiry":"7","logLevel":"NONE","logEnabled":"true"}}},"own":{"key":"value"}}
        """
}
