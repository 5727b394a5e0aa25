import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import MobileServices
import TestLandscape
import Testing

/// The server has forgotten the connection, so it is registered again, once.
@Suite("Unknown connections", .timeLimit(.minutes(1))) struct UnknownConnectionTests {
    @Test(arguments: UpdateStyle.allCases) func deletedMeanwhile(style: UpdateStyle) async throws {
        try await withMobileServer { bench in
            var client = try bench.client()
            client.updateStyle = style
            let first = try await client.register().id
            try await client.enablePush(.gcm(registrationID: "g1"))
            bench.landscape.deleteMobileConnections()
            var changes = ConnectionProperties()
            changes[.custom1] = "one"
            try await client.update(changes)
            let second = try #require(client.connectionID)
            #expect(second != first)
            #expect(bench.landscape.mobileConnections == [second])
            // Earlier changes are sent with the new registration.
            for (name, value) in ["DeviceType": "iPhone", "CustomCustom1": "one", "AndroidGcmRegistrationId": "g1"] {
                #expect(bench.landscape.mobileProperty(name, of: second) == .text(value))
            }
            #expect(try await client.connection().id == second)
            #expect(bench.landscape.mobileCounters.registrations == 2)
            #expect(bench.landscape.mobileCounters.contradictions == 0)
        }
    }

    @Test func manyNoticeAtOnce() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            let first = try await client.register().id
            bench.landscape.deleteMobileConnections()
            let gate = bench.landscape.holdMobileConnections()
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await client.connection().id } }
                try await gate.waitForWaiters(8)
                gate.release()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.count == 8)
            #expect(Set(ids) == Set(bench.landscape.mobileConnections))
            #expect(!ids.contains(first))
            #expect(bench.landscape.mobileCounters.registrations == 2)
        }
    }

    @Test func goneBeforeItIsRemoved() async throws {
        try await withMobileServer { bench in
            let client = try bench.client()
            try await client.register()
            bench.landscape.deleteMobileConnections()
            try await client.unregister()
            #expect(client.connectionID == nil)
            #expect(bench.landscape.mobileCounters.registrations == 1)
            #expect(await code { try await client.unregister() } == .notRegistered)
        }
    }

    /// If the server does not know a connection that it has just registered, the client stops after the second request.
    @Test func onceOnly() async throws {
        let server = try ScriptedServer { request, index in
            request.method == .post
                ? .init(
                    .created, [.contentType: "application/json"],
                    body: #"{"d":{"ApplicationConnectionId":"c\#(index)"}}"#)
                : .init(.notFound, [.contentType: "application/json"], body: #"{"error":{"message":{"value":"gone"}}}"#)
        }
        try server.client.resume(connectionID: "old")
        let error = await failure { try await server.client.connection() }
        #expect(error?.code == .unknownConnection)
        #expect(error?.serverMessage == "gone")
        let base = "/odata/applications/latest/com.example.app/Connections"
        #expect(server.sent == ["GET \(base)('old')", "POST \(base)", "GET \(base)('c1')"])
        #expect(server.field("X-SMP-APPCID") == ["old", nil, "c1"])
    }

    /// If registering again fails, the session keeps its connection.
    @Test func registeringAgainFails() async throws {
        let server = try ScriptedServer { request, _ in
            request.method == .post ? .init(.internalServerError) : .init(.notFound)
        }
        try server.client.resume(connectionID: "old")
        #expect(await code { try await server.client.connection() } == .serverFailed)
        #expect(server.client.connectionID == "old")
    }

    /// With the old connection's cookie, the server would give the new connection the same id.
    @Test func theOldCookieStaysBehind() async throws {
        let server = try ScriptedServer { request, index in
            var fields: HTTPFields = [.contentType: "application/json"]
            if request.method == .get, request.target.path.contains("'c0'"), index > 1 { return .init(.notFound) }
            if request.method == .post { fields[.setCookie] = "X-SMP-APPCID=c\(index); Path=/" }
            let id = request.method == .post ? "c\(index)" : "c3"
            return .init(.ok, fields, body: #"{"d":{"ApplicationConnectionId":"\#(id)"}}"#)
        }
        try await server.client.register()
        _ = try await server.manager.get(ScriptedServer.root)
        _ = try await server.client.connection()
        #expect(server.field("Cookie") == [nil, "X-SMP-APPCID=c0", "X-SMP-APPCID=c0", nil, "X-SMP-APPCID=c3"])
    }
}
