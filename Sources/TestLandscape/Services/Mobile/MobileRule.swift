/// The behaviour of a landscape's mobile server.
package struct MobileRule: Sendable, Hashable {
    /// The methods that change a connection.
    package var updateMethods: Set<String> = ["PUT", "MERGE", "PATCH"]
    /// Whether a PUT removes missing properties. Otherwise it keeps them, like MERGE.
    package var putReplaces = true
    /// Whether the answer's entity has a new connection's id.
    package var namesConnection = true
    /// Whether answers set a cookie with a new connection's id.
    package var setsConnectionCookie = true
    /// The time without use after which a session ends, by the landscape's clock.
    package var sessionLifetime: Duration = .seconds(1800)
    /// Additional properties of every connection, with values of JSON, including the policy.
    package var properties: [String: MobileValue] = MobileRule.usual
    /// The answer of the settings exchange, as JSON.
    package var exchangedSettings: String = MobileRule.usualExchange
    /// The domain that a request has to name (`X-SUP-DOMAIN`) to be logged in; nil: any.
    package var domain: String?
    /// The security configuration that a request has to name (`X-SUP-SC`) to be logged in; nil: any.
    package var securityConfiguration: String?
    /// The fault of answers about connections; nil: none.
    package var fault: MobileFault?
    /// The document at `/.well-known/mobile-logon`, as JSON; nil: none.
    package var discovery: String? = #"{"server":{"host":"mobile.example.com"}}"#
    /// The fault of that document.
    package var discoveryFault: MobileDiscoveryFault?
    /// The faults of the places where a client looks for a server.
    package var fronts: [MobileFront: MobileFrontFault] = [:]

    /// The behaviour of real servers.
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
