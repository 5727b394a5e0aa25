import Foundation
import HTTPTypes
import HttpConversation
import MobileServices
import TestLandscape
import Testing

@Suite("Registration at the landscape", .timeLimit(.minutes(1))) struct RegistrationTests {
    @Test(arguments: EntityFormat.allCases, [ServiceVersion.v1, .v2, .v3, .v4, .latest])
    func aLife(format: EntityFormat, version: ServiceVersion) async throws {
        try await withMobileServer { bench in
            var client = try bench.client(nil, try bench.application(version: version))
            client.format = format
            client.properties[.deviceModel] = "a <model> & \"more\" ü"
            client.properties[named: "OwnProperty"] = .integer(7)
            client.capabilities = [DeviceCapability(category: "push", name: "order-display", value: "1")]
            #expect(client.connectionID == nil)
            let connection = try await client.register()
            #expect(client.connectionID == connection.id)
            #expect(bench.landscape.mobileConnections == [connection.id])
            #expect(connection.properties[.userName] == "alice")
            #expect(connection.properties[.deviceModel] == "a <model> & \"more\" ü")
            #expect(connection.properties[.deviceType] == "iPhone")
            #expect(connection.properties[.customizationBundleID] == "App:1.0")
            #expect(connection.properties[.proxyPushEndpoint] == nil)
            #expect(connection.properties[named: "ProxyPushEndpoint"] == .null)
            #expect(connection.properties[named: "OwnProperty"] == .integer(7))
            #expect(connection.properties[named: "LandscapeNote"] == .string("kept"))
            let created = try #require(connection.properties[.createdAt])
            #expect(abs(created.timeIntervalSince(bench.landscape.clock.date)) < 60)
            let again = try await client.connection()
            #expect(again.properties == connection.properties)
            let hasCapabilities = [.v3, .v4, .latest].contains(version)
            #expect(again.capabilities == (hasCapabilities ? client.capabilities : []))
            try await client.unregister()
            #expect(client.connectionID == nil)
            #expect(bench.landscape.mobileConnections.isEmpty)
            #expect(bench.landscape.counters.failedLogins == 0)
        }
    }

    @Test(arguments: UpdateStyle.allCases, [true, false]) func updates(style: UpdateStyle, putReplaces: Bool)
        async throws
    {
        try await withMobileServer { bench in
            bench.landscape.mobileRule.putReplaces = putReplaces
            var client = try bench.client()
            client.updateStyle = style
            client.format = putReplaces ? .json : .atom
            client.properties[.email] = "alice@example.com"
            client.properties[named: "OwnProperty"] = .boolean(true)
            let id = try await client.register().id
            var changes = ConnectionProperties()
            changes[.custom1] = "one"
            changes.clear(.email)
            changes[named: "UserName"] = .string("mallory")
            try await client.update(changes)
            let connection = try await client.connection()
            #expect(connection.id == id)
            #expect(connection.properties[.custom1] == "one")
            #expect(connection.properties[.deviceType] == "iPhone")
            #expect(connection.properties[named: "OwnProperty"] == .boolean(true))
            #expect(connection.properties[named: "Email"] == .null)
            #expect(connection.properties[.userName] == "alice")
            #expect(bench.landscape.mobileCounters.updates == 1)
            let methods = bench.landscape.requests(path: bench.path(id)).map(\.method)
            #expect(methods.filter { $0 != "GET" } == [["put": "PUT", "merge": "MERGE", "patch": "PATCH"]["\(style)"]])
        }
    }

    /// Changes include the device's capabilities. A client without capabilities leaves the server's as they are.
    @Test(arguments: UpdateStyle.allCases, EntityFormat.allCases)
    func capabilitiesChange(style: UpdateStyle, format: EntityFormat) async throws {
        try await withMobileServer { bench in
            var client = try bench.client()
            (client.updateStyle, client.format) = (style, format)
            client.capabilities = [DeviceCapability(category: "push", name: "order", value: "1")]
            let id = try await client.register().id
            client.capabilities = [
                DeviceCapability(category: "push", name: "order", value: "2 <&> \"3\""),
                DeviceCapability(category: "intent", name: "show"),
            ]
            try await client.update(ConnectionProperties())
            var connection = try await client.connection()
            #expect(Set(connection.capabilities) == Set(client.capabilities))
            #expect(connection.properties[.deviceType] == "iPhone")
            var other = try bench.client()
            (other.updateStyle, other.format) = (style, format)
            try other.resume(connectionID: id)
            var changes = ConnectionProperties()
            changes[.custom1] = "one"
            try await other.update(changes)
            connection = try await client.connection()
            #expect(Set(connection.capabilities) == Set(client.capabilities))
            #expect(connection.properties[.custom1] == "one")
            // A version of the service without capabilities gets none.
            var old = try bench.client(nil, try bench.application(version: .v2))
            old.capabilities = client.capabilities
            try await old.register()
            try await old.update(changes)
            #expect(bench.landscape.mobileCounters.updates == 3)
        }
    }

    @Test func aMethodThatTheServerDoesNotKnow() async throws {
        try await withMobileServer { bench in
            bench.landscape.mobileRule.updateMethods = ["PUT"]
            var client = try bench.client()
            client.updateStyle = .patch
            try await client.register()
            var changes = ConnectionProperties()
            changes[.custom1] = "one"
            let error = await failure { try await client.update(changes) }
            #expect(error?.code == .refused)
            #expect(error?.status == 405)
            #expect(error?.serverMessage == "not by this method")
            #expect(error?.message.contains("updateStyle") == true)
        }
    }

    @Test func pushTokens() async throws {
        try await withMobileServer { bench in
            var client = try bench.client()
            client.updateStyle = .merge
            let id = try await client.register().id
            let tokens: [(PushToken, String, String, String)] = [
                (.apns(deviceToken: [0x0A, 0xFF]), "ApnsPushEnable", "ApnsDeviceToken", "0AFF"),
                (.gcm(registrationID: "g1"), "AndroidGcmPushEnabled", "AndroidGcmRegistrationId", "g1"),
                (.mpns(channel: "https://m"), "MpnsPushEnable", "MpnsChannelURI", "https://m"),
                (.wns(channel: "https://w"), "WnsPushEnable", "WnsChannelURI", "https://w"),
            ]
            #expect(Set(tokens.map(\.0.platform)) == Set(PushToken.Platform.allCases))
            for (token, enabled, name, value) in tokens {
                try await client.enablePush(token)
                #expect(bench.landscape.mobileProperty(enabled, of: id) == .flag(true))
                #expect(bench.landscape.mobileProperty(name, of: id) == .text(value))
                try await client.disablePush(token.platform)
                #expect(bench.landscape.mobileProperty(enabled, of: id) == .flag(false))
                #expect(bench.landscape.mobileProperty(name, of: id) == MobileValue.none)
            }
        }
    }

    /// The id may be in the entity, in a cookie, or in the new connection's address.
    @Test(arguments: [(true, false), (false, true), (false, false)])
    func theIDIsFoundInEveryPlace(inEntity: Bool, inCookie: Bool) async throws {
        try await withMobileServer { bench in
            bench.landscape.mobileRule.namesConnection = inEntity
            bench.landscape.mobileRule.setsConnectionCookie = inCookie
            let client = try bench.client()
            let connection = try await client.register()
            #expect(bench.landscape.mobileConnections == [connection.id])
            #expect(try await client.connection().id == connection.id)
        }
    }

    /// Every request of the session names its connection. Another device, application or user has another one.
    @Test func theBackEndGetsTheseFields() async throws {
        try await withMobileServer { bench in
            let (alice, bob) = (bench.manager(), bench.manager("bob", password: "builder's \"secret\""))
            bench.landscape.mobileRule.setsConnectionCookie = false
            let clients = [
                try bench.client(alice, try bench.application(device: "d1")),
                try bench.client(bob, try bench.application(device: "d1")),
            ]
            for client in clients { try await client.register() }
            let ids = clients.map(\.connectionID)
            #expect(Set(ids).count == 2)
            for (manager, id, user) in [(alice, ids[0], "alice"), (bob, ids[1], "bob")] {
                let expected = MobileBench.BackEnd(
                    user: user, application: MobileBench.applicationID, connection: id, device: "d1", isRegistered: true
                )
                #expect(try await bench.backEnd(manager) == expected)
            }
            let other = try bench.client(alice, try bench.application(device: "d2"))
            #expect(other.connectionID == nil)
            #expect(try bench.client(alice, try bench.application(device: "d1")).connectionID == ids[0])
            #expect(await code { try await other.connection() } == .notRegistered)
            try other.resume(connectionID: ids[1] ?? "")
            // Another user's connection looks unknown.
            let aliceAgain = try await other.connection()
            #expect(aliceAgain.id != ids[1])
            #expect(aliceAgain.properties[.userName] == "alice")
        }
    }

    @Test func manyAtOnceAreOneConnection() async throws {
        try await withMobileServer { bench in
            let gate = bench.landscape.holdMobileConnections()
            let client = try bench.client()
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await client.register().id } }
                try await gate.waitForWaiters(1)
                gate.release()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.count == 10)
            #expect(Set(ids).count == 1)
            #expect(bench.landscape.mobileCounters.registrations == 1)
        }
    }

    @Test func withoutALogin() async throws {
        try await withMobileServer { bench in
            let stranger = bench.manager(password: nil)
            let open = try bench.client(stranger, try bench.application("com.example.open", isPublic: true))
            #expect(try await open.register().properties[.userName] == "anonymous")
            #expect(bench.landscape.counters.unauthorized == 0)
            let closed = try bench.client(stranger, try bench.application(isPublic: true))
            #expect(await code { try await closed.register() } == .notAllowed)
            let mine = try bench.client(stranger)
            #expect(await code { try await mine.register() } == .notAuthenticated)
            let wrong = try bench.client(bench.manager("alice", password: "wrong"))
            #expect(await code { try await wrong.register() } == .notAuthenticated)
            let unknown = try bench.client(nil, try bench.application("com.example.unknown"))
            #expect(await code { try await unknown.register() } == .unknownApplication)
            #expect(bench.landscape.mobileConnections.count == 1)
        }
    }

    /// If the session ends meanwhile, the next request begins a new one.
    @Test func anExpiredSession() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            let id = try await client.register().id
            bench.landscape.expireMobileSessions()
            #expect(try await client.connection().id == id)
            #expect(bench.landscape.mobileCounters.registrations == 1)
        }
    }

    @Test func cancelled() async throws {
        try await withMobileServer { bench in
            let gate = bench.landscape.holdMobileConnections()
            let client = try bench.client()
            let task = Task { await code { try await client.register() } }
            try await gate.waitForWaiters(1)
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(client.connectionID == nil)
        }
    }
}
