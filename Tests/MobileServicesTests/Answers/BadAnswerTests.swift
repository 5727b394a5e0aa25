import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import MobileServices
import TestLandscape
import TestSupport
import Testing

/// Every bad answer ends in a typed error in time, and leaves the session as it was.
@Suite("Bad answers", .timeLimit(.minutes(1))) struct BadAnswerTests {
    private static let expected: [MobileFault: MobileServicesError.Code] = [
        .malformedJSON: .malformedAnswer, .malformedAtom: .malformedAnswer, .wrongTypes: .wrongType,
        .hugeNumbers: .wrongType, .deepNesting: .malformedAnswer, .entityExpansion: .malformedAnswer,
        .externalEntity: .malformedAnswer, .page: .notAMobileServer, .wrongContentType: .malformedAnswer,
        .endless: .tooLarge, .unusableID: .malformedAnswer,
    ]

    @Test(arguments: MobileFault.allCases.filter { $0 != .contradictoryPolicy })
    func atTheLandscape(fault: MobileFault) async throws {
        let expected = try #require(Self.expected[fault])
        try await withMobileServer { bench in
            let client = try bench.client()
            bench.landscape.mobileRule.fault = fault
            let start = ContinuousClock.now
            #expect(await code { try await client.register() } == expected)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(client.connectionID == nil)
            bench.landscape.mobileRule.fault = nil
            let id = try await client.register().id
            bench.landscape.mobileRule.fault = fault
            #expect(await code { try await client.connection() } == expected)
            #expect(client.connectionID == id)
            bench.landscape.mobileRule.fault = nil
            #expect(try await client.connection().id == id)
        }
    }

    /// The limits are in the table of docs/threat-model.md.
    @Test func theTimeOfAnAnswerIsBounded() async throws {
        let server = try ScriptedServer(type: "application/json", ScriptedServer.entity(""))
        try await server.client.register()
        #expect(server.transport.requests.map(\.options.timeLimit) == [.seconds(120)])
    }

    @Test func aPolicyThatContradictsItself() async throws {
        try await withMobileServer { bench in
            bench.landscape.mobileRule.fault = .contradictoryPolicy
            let connection = try await bench.client().register()
            let error = #expect(throws: MobileServicesError.self) { try connection.settings() }
            #expect(error?.code == .contradictoryPolicy)
            #expect(error?.property == "PasswordPolicyMinUniqueChars")
        }
    }

    private static let atom = "application/atom+xml;type=entry"
    private static let entry =
        "<entry xmlns=\"http://www.w3.org/2005/Atom\" xmlns:d=\"http://schemas.microsoft.com/ado/2007/08/dataservices\" "
        + "xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\"><content><m:properties>"
    private static let end = "</m:properties></content></entry>"
    private static let id = "<d:ApplicationConnectionId>c1</d:ApplicationConnectionId>"

    @Test(
        arguments: [
            ("application/json", ""), ("application/json", "{"), ("application/json", "[]"),
            ("application/json", "null"),
            ("application/json", "{}"), ("application/json", #"{"d":[]}"#), ("application/json", #"{"d":"x"}"#),
            ("application/json", #"{"d":{}}"#), ("application/json", #"{"d":{"ApplicationConnectionId":""}}"#),
            ("application/json", #"{"d":{"ApplicationConnectionId":"a b"}}"#),
            ("application/json", #"{"d":{"A":1e999}}"#),
            ("application/json", "\u{FEFF}\u{0}{"), ("text/plain", #"{"d":{"ApplicationConnectionId":"c1"}}"#),
            (atom, ""), (atom, "x"), (atom, "<entry/>"), (atom, "<html xmlns=\"http://www.w3.org/2005/Atom\"/>"),
            (atom, entry), (atom, entry + id), (atom, entry + id + end + "<more/>"), (atom, entry + end),
            (atom, entry + id + "&undeclared;" + end), (atom, entry + id + "&#0;" + end),
            (atom, "<!DOCTYPE entry>" + entry + id + end),
            (atom, "<!DOCTYPE entry SYSTEM \"http://evil.example.com/x.dtd\">" + entry + id + end),
            (atom, "<?xml version=\"1.0\" encoding=\"no-such-thing\"?>" + entry + id + end),
            (atom, String(repeating: "<a>", count: 50_000)),
            (atom, entry + id + "<d:X>" + String(repeating: "<d:y/>", count: 20_000) + "</d:X>" + end),
            (atom, entry + id + id + end.replacing("</entry>", with: "</entry")),
        ] as [(String, String)])
    func malformed(type: String, body: String) async throws {
        let server = try ScriptedServer(type: type, body)
        let start = ContinuousClock.now
        #expect(await code { try await server.client.register() } == .malformedAnswer)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(server.client.connectionID == nil)
        #expect(server.sent.count == 1)
    }

    @Test(
        arguments: [
            ("application/json", #"{"d":{"ApplicationConnectionId":1}}"#, "ApplicationConnectionId"),
            ("application/json", #"{"d":{"ApplicationConnectionId":{}}}"#, "ApplicationConnectionId"),
            ("application/json", ScriptedServer.entity(#","UserName":true"#), "UserName"),
            ("application/json", ScriptedServer.entity(#","ApnsPushEnable":"yes""#), "ApnsPushEnable"),
            ("application/json", ScriptedServer.entity(#","LogEntryExpiry":2147483648"#), "LogEntryExpiry"),
            ("application/json", ScriptedServer.entity(#","LogEntryExpiry":7.5"#), "LogEntryExpiry"),
            ("application/json", ScriptedServer.entity(#","CreatedAt":"yesterday""#), "CreatedAt"),
            ("application/json", ScriptedServer.entity(#","Email":["a"]"#), "Email"),
            (atom, entry + id + "<d:UploadLogs m:type=\"Edm.Boolean\">maybe</d:UploadLogs>" + end, "UploadLogs"),
            (
                atom, entry + id + "<d:PasswordPolicyMinLength>x</d:PasswordPolicyMinLength>" + end,
                "PasswordPolicyMinLength"
            ),
            (atom, entry + id + "<d:CreatedAt m:type=\"Edm.DateTime\">2017-13-99</d:CreatedAt>" + end, "CreatedAt"),
            (atom, entry + id + "<d:Email><d:x/></d:Email>" + end, "Email"),
            (atom, entry + id + id + end, "ApplicationConnectionId"),
        ] as [(String, String, String)])
    func wrongTypes(type: String, body: String, property: String) async throws {
        let server = try ScriptedServer(type: type, body)
        let error = await failure { try await server.client.register() }
        #expect(error?.code == .wrongType)
        #expect(error?.property == property)
        #expect(server.client.connectionID == nil)
    }

    @Test(arguments: ["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml", nil] as [String?])
    func aCaptivePortal(type: String?) async throws {
        let server = try ScriptedServer(.ok, type: type, " <!DOCTYPE html><html><form></form></html>")
        try server.client.resume(connectionID: "old")
        #expect(await code { try await server.client.connection() } == .notAMobileServer)
        #expect(await code { try await server.client.unregister() } == .notAMobileServer)
        #expect(await code { try await server.client.exchangedSettings() } == .notAMobileServer)
        #expect(server.client.connectionID == "old")
    }

    /// An answer about a connection from another server is refused, even if it looks right.
    @Test func fromAnotherServer() async throws {
        let server = try ScriptedServer { request, _ in
            guard request.target.origin.host == "evil.example.com" else {
                return .init(.temporaryRedirect, [.location: "https://evil.example.com/x"])
            }
            return .init(.created, [.contentType: "application/json"], body: ScriptedServer.entity(""))
        }
        let error = await failure { try await server.client.register() }
        #expect(error?.code == .notAMobileServer)
        #expect(error?.message.contains("evil.example.com") == true)
        #expect(server.sent.count == 2)
        #expect(server.client.connectionID == nil)
    }

    @Test(
        arguments: [
            (301, .refused), (400, .refused), (401, .notAuthenticated), (403, .notAllowed), (404, .unknownApplication),
            (405, .refused), (409, .refused), (429, .serverFailed), (500, .serverFailed), (503, .serverFailed),
        ] as [(Int, MobileServicesError.Code)])
    func statuses(status: Int, expected: MobileServicesError.Code) async throws {
        let text = #"{"error":{"code":"","message":{"lang":"en","value":"no\u001b[31m \u202e way"}}}"#
        let server = try ScriptedServer { _, _ in
            .init(HTTPResponse.Status(code: status), [.contentType: "application/json"], body: text)
        }
        server.manager.update { $0.redirects.follows = false }
        let error = await failure { try await server.client.register() }
        #expect(error?.code == expected)
        #expect(error?.status == status)
        #expect(error?.serverMessage?.contains("\u{1B}") == false)
        #expect(error?.serverMessage?.hasPrefix("no") == true)
    }

    private struct Login: RequestFilter {
        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            request.headerFields[.authorization] = "Bearer hunter2secret"
        }
    }

    /// A server may repeat what the request carried, also with a status below 400 (security rule S20).
    @Test(arguments: [300, 403]) func repeatedSecrets(status: Int) async throws {
        let server = try ScriptedServer(
            HTTPResponse.Status(code: status), type: "application/json",
            #"{"error":{"code":"","message":{"lang":"en","value":"no hunter2secret"}}}"#)
        server.manager.update { $0.add(Login()) }
        let error = await failure { try await server.client.register() }
        #expect(error?.serverMessage == "no …")
    }

    /// A redirect may have it in the name of a server.
    @Test func repeatedSecretsInNames() async throws {
        let server = try ScriptedServer { request, _ in
            request.target.origin.host == "mobile.example.com"
                ? .init(.seeOther, [.location: "https://x-hunter2secret.example/"]) : .init(.ok)
        }
        server.manager.update { $0.add(Login()) }
        let error = await failure { try await server.client.register() }
        #expect(error?.code == .notAMobileServer)
        #expect(error?.message.hasPrefix("https://x-….example answered instead of") == true)
    }

    @Test func noAnswerAtAll() async throws {
        let server = try ScriptedServer { _, _ in .failure(ConversationError(.connectionFailed, "Nobody is there.")) }
        let error = await failure { try await server.client.register() }
        #expect(error?.code == .conversationFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .connectionFailed)
        #expect(error?.message.contains("Nobody is there.") == true)
    }

    /// Measures memory in a process of its own, as the peak of all answers together over the baseline.
    @Test func inLittleMemory() async throws {
        await #expect(processExitsWith: .success) {
            func register(_ type: String, _ body: String) async throws {
                let server = try ScriptedServer(type: type, body)
                #expect(await code { try await server.client.register() } != nil)
            }
            let prolog = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY l0 \"ha\">"
            let levels = (1...20).map { level in
                "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
            }
            let bodies = [
                ("application/json", "[" + String(repeating: "0,", count: 130_000) + "0]"),
                ("application/json", String(repeating: "[", count: 260_000)),
                ("application/json", #"{"d":{"A":""# + String(repeating: "x", count: 261_000) + "\"}}"),
                ("application/xml", prolog + levels.joined() + "]><a>&l20;</a>"),
                ("application/xml", String(repeating: "<a>", count: 87_000)),
                ("application/xml", "<a>" + String(repeating: "<a/>", count: 65_000) + "</a>"),
                ("application/xml", "<a " + (0..<26_000).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>"),
            ]
            // The same piece is sent again and again, so only the client could use more memory.
            let endless = [
                ("application/json", Array(repeating: UInt8(ascii: " "), count: 64 << 10)),
                ("application/xml", Array(String(repeating: "<a>", count: 20_000).utf8)),
            ]
            // The baseline includes one-time allocations and the bodies themselves.
            try await register("application/json", "{")
            try await register("application/xml", "<a>")
            // Resets the peak (`man 5 proc`).
            try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
            let rest = try #require(try ProcessMemory.kilobytes("VmRSS"))
            for (type, body) in bodies {
                let start = ContinuousClock.now
                try await register(type, body)
                #expect(ContinuousClock.now - start < .seconds(15))
            }
            for (type, piece) in endless {
                let server = try ScriptedServer { _, _ in
                    .init(.created, [.contentType: type], chunks: Array(repeating: piece, count: 1024))
                }
                #expect(await code { try await server.client.register() } == .tooLarge)
            }
            let over = try #require(try ProcessMemory.kilobytes("VmHWM")) - rest
            #expect(over < 32 << 10, "\(over) kB over rest")
        }
    }
}
