import Foundation
import Testing

@testable import MobileServices

/// An entity that is written in a format reads back as the same.
@Suite struct EntityTests {
    private static let properties: [String: PropertyValue] = [
        "A": .null, "B": .boolean(false), "C": .integer(-5), "D": .integer(5_000_000_000), "E": .double(2.5),
        "F": .string("a & <b> \"c\" ü \t\r\n]]>"), "G": .string(""),
    ]

    @Test func atomReadsBack() throws {
        let entity = ServiceEntity(
            properties: Self.properties.merging(["H": .date(Date(timeIntervalSince1970: 1_484_028_633.5))]) { $1 },
            related: ["Capability": [ServiceEntity(properties: ["Category": .string("push")])]])
        #expect(try EntityFormat.atom.entity(EntityFormat.atom.bytes(entity)) == entity)
    }

    /// JSON in requests has no `d`, and lists without `results`.
    @Test func jsonReadsBack() throws {
        let entity = ServiceEntity(
            properties: Self.properties,
            related: ["Capability": [ServiceEntity(properties: ["Category": .string("push")])]])
        let bytes = try EntityFormat.json.bytes(entity)
        #expect(try EntityFormat.json.entity(Array(#"{"d":"#.utf8) + bytes + Array("}".utf8)) == entity)
    }

    @Test func valuesThatAtomCannotCarry() {
        let error = #expect(throws: MobileServicesError.self) {
            try EntityFormat.atom.bytes(ServiceEntity(properties: ["Email": .string("a\u{1}b")]))
        }
        #expect(error?.code == .invalidProperty)
        #expect(error?.property == "Email")
    }

    @Test(
        arguments: [
            ("/Date(1484028633406)/", 1_484_028_633.406), ("/Date(0)/", 0), ("/Date(-1000)/", -1),
            ("/Date(1000+0060)/", 1), ("/Date(-1000-0060)/", -1), ("/Date()/", nil), ("/Date(x)/", nil),
            ("Date(1)", nil),
            ("/Date(99999999999999999999999)/", nil), ("", nil),
        ] as [(String, Double?)]) func datesOfJSON(text: String, seconds: Double?)
    {
        #expect(Date(PropertyValue.string(text)) == seconds.map { Date(timeIntervalSince1970: $0) })
    }

    @Test(
        arguments: [
            ("2017-01-10T06:10:33", 1_484_028_633), ("2017-01-10T06:10:33.5", 1_484_028_633.5),
            ("2017-01-10T06:10:33Z", 1_484_028_633), ("2017-01-10T06:10:33.25+01:00", 1_484_025_033.25),
            ("2017-01-10", nil), ("2017-99-10T06:10:33", nil), ("2017-01-10T06:10:33 hello", nil), ("", nil),
        ] as [(String, Double?)]) func datesOfAtom(text: String, seconds: Double?)
    {
        #expect(ServiceDate.fromAtom(text) == seconds.map { Date(timeIntervalSince1970: $0) })
    }

    /// An element in a foreign namespace does not count as a property.
    @Test func foreignNamespaces() throws {
        let text = """
            <a:entry xmlns:a="http://www.w3.org/2005/Atom" xmlns:x="http://schemas.microsoft.com/ado/2007/08/dataservices" \
            xmlns:y="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns:z="urn:z"><!-- a comment --> \
            <a:content><y:properties><x:Email y:null="false"><![CDATA[a<b]]></x:Email><z:Email>evil</z:Email> \
            <x:TimeZone z:null="true">UTC</x:TimeZone></y:properties></a:content></a:entry>
            """
        let entity = try EntityFormat.atom.entity(Array(text.utf8))
        #expect(entity.properties == ["Email": .string("a<b"), "TimeZone": .string("UTC")])
    }

    @Test func utf16() throws {
        let text = try String(
            decoding: EntityFormat.atom.bytes(ServiceEntity(properties: ["Email": .string("ü€")])), as: UTF8.self
        )
        .replacing("utf-8", with: "utf-16")
        let bytes =
            [UInt8]([0xFE, 0xFF]) + text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        #expect(try EntityFormat.atom.entity(bytes).properties == ["Email": .string("ü€")])
    }

    /// Each typed key names a known property of that type.
    @Test func theSchemaHasEveryKey() {
        let texts: [WritableProperty<String>] = [
            .applicationVersion, .deviceModel, .deviceType, .deviceSubType, .devicePhoneNumber, .deviceIMSI,
            .formFactor,
            .userLocale, .timeZone, .lastKnownLocation, .pushGroup, .email, .custom1, .custom2, .custom3, .custom4,
            .androidGcmRegistrationID, .apnsDeviceToken, .mpnsChannelURI, .wnsChannelURI,
        ]
        let flags: [WritableProperty<Bool>] = [
            .androidGcmPushEnabled, .apnsPushEnable, .mpnsPushEnable, .wnsPushEnable,
        ]
        for name in texts.map(\.name) { #expect(ConnectionSchema.writable[name] == .string, "\(name)") }
        for name in flags.map(\.name) { #expect(ConnectionSchema.writable[name] == .boolean, "\(name)") }
        let readOnly: [ReadOnlyProperty<String>] = [
            .eTag, .applicationConnectionID, .userName, .connectionLogLevel, .customizationBundleID, .e2eTraceLevel,
            .proxyApplicationEndpoint, .proxyPushEndpoint,
        ]
        for name in readOnly.map(\.name) { #expect(ConnectionSchema.readOnly[name] == .string, "\(name)") }
        let readOnlyFlags: [ReadOnlyProperty<Bool>] = [.uploadLogs, .featureVectorPolicyAllEnabled]
        for name in readOnlyFlags.map(\.name) { #expect(ConnectionSchema.readOnly[name] == .boolean, "\(name)") }
        #expect(ConnectionSchema.readOnly[ReadOnlyProperty<Int>.logEntryExpiry.name] == .integer)
        #expect(ConnectionSchema.readOnly[ReadOnlyProperty<Date>.createdAt.name] == .date)
        #expect(Set(ConnectionSchema.writable.keys).isDisjoint(with: ConnectionSchema.readOnly.keys))
    }

    @Test(arguments: ["", "a b", "1a", "a-b", "<a>", "ä"]) func noPropertyName(name: String) async throws {
        let server = try ScriptedServer(type: nil, "")
        var changes = ConnectionProperties()
        changes[named: name] = .string("x")
        try server.client.resume(connectionID: "c1")
        #expect(await code { try await server.client.update(changes) } == .invalidProperty)
        #expect(server.sent.isEmpty)
    }

    @Test func secretsAreNotShown() throws {
        var properties = ConnectionProperties()
        properties[.email] = "canary@example.com"
        var shown = ""
        dump(properties, to: &shown)
        dump(PushToken.gcm(registrationID: "canary"), to: &shown)
        print(properties, PushToken.apns(deviceToken: Array("canary".utf8)), to: &shown)
        #expect(!shown.contains("canary"))
        #expect(shown.contains("Email"))
    }
}
