import Foundation
import HttpConvVault
import HttpConversationTesting
import MobileServices
import TestLandscape
import Testing

@Suite("Policies", .timeLimit(.minutes(1))) struct PasswordPolicyTests {
    /// The connection on premise has numbers, and the cloud's settings exchange has texts. The settings are the same.
    @Test func bothFormsAreOne() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            var expected = PasswordPolicy()
            expected.requiresDigit = true
            expected.expiresInDays = 90
            expected.minimumUniqueCharacters = 4
            let connection = try await client.register().settings()
            let exchanged = try await client.exchangedSettings()
            #expect(connection.passwordPolicy == expected)
            #expect(exchanged.passwordPolicy == expected)
            #expect(connection.log == exchanged.log)
            #expect(connection.log.level == "NONE")
            #expect(connection.log.expiresInDays == 7)
            #expect(connection.log.isUploadEnabled)
            #expect(connection.enablesAllFeatures)
            #expect(!exchanged.enablesAllFeatures)
            #expect(exchanged.restrictedFeatures.map(\.name) == ["Camera"])
            #expect(exchanged.restrictedFeatures.map(\.displayName) == ["The camera"])
        }
    }

    private static func settings(_ members: String) async throws -> PasswordPolicy {
        let server = try ScriptedServer(type: "application/json", ScriptedServer.entity("," + members))
        return try await server.client.register().settings().passwordPolicy
    }

    /// Each property of the service, as number or Boolean and as text.
    @Test(arguments: [
        PolicyCase("Enabled", "false") { !$0.isEnabled },
        PolicyCase("DefaultPasswordAllowed", "true") { $0.allowsDefaultPassword },
        PolicyCase("DigitRequired", "true") { $0.requiresDigit },
        PolicyCase("UpperRequired", "true") { $0.requiresUppercase },
        PolicyCase("LowerRequired", "true") { $0.requiresLowercase },
        PolicyCase("SpecialRequired", "true") { $0.requiresSpecial },
        PolicyCase("FingerprintEnabled", "false") { !$0.allowsFingerprint },
        PolicyCase("IsDigitsOnly", "true") { $0.isDigitsOnly },
        PolicyCase("MinLength", "12") { $0.minimumLength == 12 },
        PolicyCase("MinUniqueChars", "5") { $0.minimumUniqueCharacters == 5 },
        PolicyCase("ExpiresInNDays", "30") { $0.expiresInDays == 30 },
        PolicyCase("LockTimeout", "60") { $0.lockTimeout == .seconds(60) },
        PolicyCase("RetryLimit", "3") { $0.retryLimit == 3 },
    ]) func eachProperty(_ case: PolicyCase) async throws {
        #expect(`case`.holds(PasswordPolicy()) == false)
        for value in [`case`.value, "\"\(`case`.value)\""] {
            #expect(`case`.holds(try await Self.settings("\"PasswordPolicy\(`case`.name)\":\(value)")))
        }
        let body = #"{"passwordPolicy":{"passwordPolicy\#(`case`.name)":"\#(`case`.value)"}}"#
        let exchanged = try await ScriptedServer(.ok, type: "application/json", body).client.exchangedSettings()
        #expect(`case`.holds(exchanged.passwordPolicy))
    }

    /// A longer passcode satisfies a policy that wants more different characters than characters.
    @Test func moreDifferentCharactersThanCharacters() async throws {
        let policy = try await Self.settings(#""PasswordPolicyMinLength":4,"PasswordPolicyMinUniqueChars":5"#)
        #expect(policy.violations(of: "abcde").isEmpty)
        #expect(policy.violations(of: "abcd") == [.minimumUniqueCharacters(5)])
    }

    @Test func missingSettingsHaveDefaults() async throws {
        #expect(try await Self.settings(#""PasswordPolicyMinLength":null"#) == PasswordPolicy())
        let exchanged = try await ScriptedServer(.ok, type: "application/json", "{}").client.exchangedSettings()
        #expect(exchanged.passwordPolicy == PasswordPolicy())
        #expect(exchanged.log.level == nil)
        #expect(exchanged.enablesAllFeatures)
    }

    @Test(arguments: [
        (#""PasswordPolicyMinLength":-1"#, "MinLength"), (#""PasswordPolicyRetryLimit":0"#, "RetryLimit"),
        (#""PasswordPolicyMinLength":257"#, "MinLength"), (#""PasswordPolicyLockTimeout":-5"#, "LockTimeout"),
        (#""PasswordPolicyExpiresInNDays":-5"#, "ExpiresInNDays"),
        (#""PasswordPolicyMinUniqueChars":257"#, "MinUniqueChars"),
        (#""PasswordPolicyIsDigitsOnly":true,"PasswordPolicyUpperRequired":true"#, "UpperRequired"),
        (#""PasswordPolicyIsDigitsOnly":true,"PasswordPolicyLowerRequired":true"#, "LowerRequired"),
        (#""PasswordPolicyIsDigitsOnly":true,"PasswordPolicySpecialRequired":true"#, "SpecialRequired"),
        (
            #""PasswordPolicyIsDigitsOnly":true,"PasswordPolicyMinLength":20,"PasswordPolicyMinUniqueChars":11"#,
            "MinUniqueChars"
        ),
    ]) func contradictions(members: String, property: String) async throws {
        let error = await failure { try await Self.settings(members) }
        #expect(error?.code == .contradictoryPolicy)
        #expect(error?.property == "PasswordPolicy" + property)
        // A disabled policy may contradict itself.
        #expect(try await !Self.settings(members + #","PasswordPolicyEnabled":false"#).isEnabled)
    }

    @Test(arguments: [
        #"{"passwordPolicy":"strict"}"#, #"{"passwordPolicy":[]}"#,
        #"{"passwordPolicy":{"passwordPolicyMinLength":"x"}}"#,
        #"{"passwordPolicy":{"passwordPolicyMinLength":" 8"}}"#, #"{"passwordPolicy":{"passwordPolicyMinLength":{}}}"#,
        #"{"passwordPolicy":{"passwordPolicyMinLength":1e30}}"#, #"{"passwordPolicy":{"passwordPolicyEnabled":1}}"#,
        #"{"passwordPolicy":{"passwordPolicyEnabled":"TRUE"}}"#, #"{"logSettings":{"logLevel":5}}"#,
        #"{"logSettings":{"logEntryExpiry":"99999999999"}}"#, #"{"mobileservices":[]}"#, "[]", "5",
    ]) func exchangedWrongTypes(body: String) async throws {
        let server = try ScriptedServer(.ok, type: "application/json", body)
        #expect(await code { _ = try await server.client.exchangedSettings() } == .wrongType)
    }

    @Test(arguments: [("application/json", "{"), ("application/json", ""), ("application/atom+xml", "<a/>")])
    func noSettings(type: String, body: String) async throws {
        let server = try ScriptedServer(.ok, type: type, body)
        #expect(await code { _ = try await server.client.exchangedSettings() } == .malformedAnswer)
    }
}

/// A property of the service, an unusual value, and a check of the resulting policy.
struct PolicyCase: Sendable, CustomStringConvertible {
    let name: String
    let value: String
    let holds: @Sendable (PasswordPolicy) -> Bool

    init(_ name: String, _ value: String, _ holds: @escaping @Sendable (PasswordPolicy) -> Bool) {
        (self.name, self.value, self.holds) = (name, value, holds)
    }

    var description: String { name }
}
