import HTTPTypes
import HttpConversation
import HttpConversationTesting
import MobileServices
import Testing

/// The id of a connection is sent to its server only.
@Suite("Fields of a connection", .timeLimit(.minutes(1))) struct ApplicationHeaderTests {
    @Test(arguments: [
        ("https://mobile.example.com/relay/farm1/", true), ("https://mobile.example.com/relay/farm1/a/b?c", true),
        ("https://mobile.example.com:443/relay/farm1/x", true), ("https://mobile.example.com/relay/farm12/x", false),
        ("https://mobile.example.com/relay/farm2/x", false), ("https://mobile.example.com/", false),
        ("https://mobile.example.com/relay/farm1/../farm2/x", false),
        ("https://mobile.example.com/relay/farm1/%2e%2e/farm2/x", false),
        ("https://mobile.example.com/relay/farm1/..;x/farm2", false),
        ("https://mobile.example.com/relay/farm1/..%2ffarm2", false),
        ("http://mobile.example.com/relay/farm1/x", false),
        ("https://mobile.example.com:8443/relay/farm1/x", false), ("https://example.com/relay/farm1/x", false),
    ]) func whereItGoes(url: String, isOwn: Bool) async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        let application = try MobileApplication(
            at: "https://mobile.example.com/relay/farm1", id: "com.example.app", deviceID: "device")
        try RegistrationClient(manager, application).resume(connectionID: "c1")
        _ = try await manager.get(url)
        let fields = try #require(transport.requests.first).headerFields
        let values = ["X-SMP-APPCID", "X-SMP-APPID", "X-SMP-DEVICEID"].map { HTTPField.Name($0).flatMap { fields[$0] } }
        #expect(values == (isOwn ? ["c1", "com.example.app", "device"] : [nil, nil, nil]))
    }

    @Test func notToWhereARedirectLeads() async throws {
        let transport = ScriptedTransport { request, _ in
            request.target.origin.host == "mobile.example.com"
                ? .init(.temporaryRedirect, [.location: "https://other.example.com/x"]) : .init(.ok)
        }
        let manager = HttpConversationManager(transport: transport)
        let application = try MobileApplication(at: "https://mobile.example.com", id: "com.example.app")
        try RegistrationClient(manager, application).resume(connectionID: "c1")
        _ = try await manager.post("https://mobile.example.com/x", .text("x"))
        let sent = transport.requests.map { request in
            (request.target.origin.host, HTTPField.Name("X-SMP-APPCID").flatMap { request.headerFields[$0] })
        }
        #expect(sent.map(\.0) == ["mobile.example.com", "other.example.com"])
        #expect(sent.map(\.1) == ["c1", nil])
    }

    /// A redirect out of the server's path: other servers may be at the same origin. Their answers are not accepted.
    @Test(arguments: [("/elsewhere/x", false), ("/mobile/elsewhere/x", true)])
    func aRedirectToAnotherPath(path: String, isOwn: Bool) async throws {
        let transport = ScriptedTransport { request, index in
            index == 0
                ? .init(.found, [.location: path])
                : .init(.ok, [.contentType: "application/json"], body: #"{"passwordPolicy":{}}"#)
        }
        let application = try MobileApplication(at: "https://mobile.example.com/mobile/", id: "com.example.app")
        let client = RegistrationClient(HttpConversationManager(transport: transport), application)
        try client.resume(connectionID: "c1")
        let error = await failure { try await client.exchangedSettings() }
        #expect((error?.code == .notAMobileServer) == !isOwn, "\(String(describing: error))")
        #expect(transport.requests.count == 2)
        let name = try #require(HTTPField.Name("X-SMP-APPCID"))
        let sent = transport.requests.map { $0.headerFields[name] }
        #expect(sent == ["c1", isOwn ? "c1" : nil])
    }

    /// Only a registration leaves out the id, and not each path with a name like that.
    @Test(
        arguments: [
            ("odata/applications/latest/com.example.app/Connections", nil), ("com.example.sales/Connections", "c1"),
        ] as [(String, String?)]) func posting(path: String, expected: String?) async throws
    {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        let application = try MobileApplication(at: "https://mobile.example.com/mobile/", id: "com.example.app")
        try RegistrationClient(manager, application).resume(connectionID: "c1")
        _ = try await manager.post("https://mobile.example.com/mobile/\(path)", .text("x"))
        let fields = try #require(transport.requests.first).headerFields
        #expect(HTTPField.Name("X-SMP-APPCID").flatMap { fields[$0] } == expected)
        #expect(HTTPField.Name("X-SMP-APPID").flatMap { fields[$0] } == "com.example.app")
    }

    /// Configuring twice changes nothing, a caller's own field stays, and another session has no connection.
    @Test func oncePerManager() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let application = try MobileApplication(at: "https://mobile.example.com", id: "com.example.app")
        let manager = HttpConversationManager(
            transport: transport, MobileServicesConfigurator(for: application),
            MobileServicesConfigurator(for: application))
        let client = RegistrationClient(manager, application)
        #expect(manager.configuration.requestFilters.elements.count == 1)
        try client.resume(connectionID: "c1")
        let name = try #require(HTTPField.Name("X-SMP-APPCID"))
        _ = try await manager.get("https://mobile.example.com/x", fields: [name: "mine"])
        let other = HttpConversationManager(transport: transport, MobileServicesConfigurator(for: application))
        _ = try await other.get("https://mobile.example.com/x")
        #expect(transport.requests.map { $0.headerFields[values: name] } == [["mine"], []])
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a;b", "a,b", "ä", "\"a\"", String(repeating: "x", count: 300)])
    func noConnectionID(id: String) throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let application = try MobileApplication(at: "https://mobile.example.com", id: "com.example.app")
        let client = RegistrationClient(HttpConversationManager(transport: transport), application)
        let error = #expect(throws: MobileServicesError.self) { try client.resume(connectionID: id) }
        #expect(error?.code == .invalidProperty)
        #expect(client.connectionID == nil)
    }

    /// Any id becomes one segment of a path.
    @Test(arguments: [("a'b", "('a''b')"), ("a/../b", "('a%2F..%2Fb')"), ("a?b#c%", "('a%3Fb%23c%25')")])
    func anIDInAURL(id: String, expected: String) async throws {
        let server = try ScriptedServer(.ok, type: "application/json", ScriptedServer.entity(""))
        try server.client.resume(connectionID: id)
        _ = try await server.client.connection()
        #expect(server.sent == ["GET /odata/applications/latest/com.example.app/Connections\(expected)"])
        #expect(server.transport.requests.first?.target.query == "$expand=Capability,FeatureVectorPolicy")
    }
}
