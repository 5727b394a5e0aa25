import Foundation
import HTTPTypes
import HttpC
import TestLandscape
import Testing

@testable import HttpConvLogon

/// The fields that a registration's server gets with every request, and no other server.
@Suite("Fields for the registered server", .timeLimit(.minutes(1))) struct ServerFieldsTests {
    private static let client = "sap-client"

    /// A registration at the gateway, with its client.
    private func input(_ bench: LogonBench, client: String = "300") -> RegistrationInput {
        var input = bench.input("", at: .other)
        input.values.gatewayClient = client
        return input
    }

    private func clients(_ bench: LogonBench, at origin: LandscapeOrigin, since count: Int = 0) -> [[String]] {
        bench.landscape.requests().dropFirst(count).filter { $0.origin == origin }.map { $0.values(of: Self.client) }
    }

    /// Detection, login, OData-like requests with their tokens, another password: each request to the gateway.
    @Test func everyRequestToAGateway() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            let logon = try await bench.registered(input(bench))
            let cookies = logon.person.session.cookies.cookies(for: try TargetURL(landscape.urlString(.other)))
            #expect(cookies.first { $0.name == "sap-usercontext" }?.value == "sap-client=300")
            let manager = bench.manager(logon.configurator)
            #expect(try await manager.get(landscape.urlString(.other, "/basic/data")).status == .ok)
            #expect(try await manager.post(landscape.urlString(.other, "/csrf/service/orders"), .text("x")).status.isOK)
            try await logon.logon()
            try await logon.changeBackendPassword("wonderland")
            // Read from the vault by the next process.
            try await logon.lock()
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            _ = try await bench.manager(next.configurator).get(landscape.urlString(.other, "/basic/data?$top=1"))
            try await next.logon()
            let sent = clients(bench, at: .other)
            #expect(sent.count >= 12 && sent.allSatisfy { $0 == ["300"] }, "\(sent)")
        }
    }

    /// A request that names its client, as a field or in the query, keeps it.
    @Test func theCallersOwn() async throws {
        try await withLogon { bench in
            let manager = bench.manager(try await bench.registered(input(bench)).configurator)
            let name = try #require(HTTPField.Name(Self.client))
            let sent = bench.landscape.requests().count
            _ = try await manager.get(bench.landscape.urlString(.other, "/json"), fields: [name: "100"])
            for query in ["sap-client=100", "a=b&SAP-Client=100", "sap-client", "xsap-client=1"] {
                _ = try await manager.get(bench.landscape.urlString(.other, "/json?\(query)"))
            }
            #expect(clients(bench, at: .other, since: sent) == [["100"], [], [], [], ["300"]])
        }
    }

    /// Neither a redirect nor a request of its own takes the fields to another server.
    @Test func toNoOtherServer() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            let manager = bench.manager(try await bench.registered(input(bench)).configurator)
            let sent = landscape.requests().count
            _ = try await manager.get(landscape.urlString(.main, "/json"))
            _ = try await manager.get(landscape.urlString(.other, "/redirect/to/main"))
            // Back at the gateway, the client is there again.
            _ = try await manager.get(landscape.urlString(.main, "/redirect/to/other"))
            #expect(clients(bench, at: .main, since: sent) == [[], [], []])
            #expect(clients(bench, at: .other, since: sent) == [["300"], ["300"]])
        }
    }

    /// A gateway without a client, and a mobile server, get none.
    @Test func onlyAGatewayWithAClient() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            try await logon.register(input(bench, client: ""))
            try await logon.unregister()
            var other = bench.input()
            other.values.gatewayClient = "300"
            try await logon.register(other)
            _ = try await bench.backEnd(logon)
            #expect(clients(bench, at: .other).allSatisfy { $0.isEmpty })
            let seen = bench.landscape.requests().filter { $0.origin == .main && $0.path != "/sap/bc/ping" }
            #expect(seen.count > 2 && seen.allSatisfy { $0.values(of: Self.client).isEmpty })
        }
    }

    // MARK: A mobile server

    private static let names = ["X-SUP-DOMAIN", "X-SUP-SC"]

    /// The server refuses a login whose request names another domain or security configuration.
    @Test func domainAndSecurityConfiguration() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            landscape.mobileRule.domain = "sales"
            landscape.mobileRule.securityConfiguration = "ldap"
            let logon = try bench.logon()
            for (domain, configuration) in [("default", ""), ("sales", ""), ("sales", "ldap")] {
                var input = bench.input()
                (input.values.serverDomain, input.values.securityConfig) = (domain, configuration)
                let code = await logonCode { [input] in try await logon.register(input) }
                #expect(code == (configuration.isEmpty ? .invalidBackendPassword : nil))
            }
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            // A new login needs the fields again, after the end of the session and with another password.
            landscape.expireMobileSessions()
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            #expect(try await bench.backEnd(next).isRegistered)
            try await next.changeBackendPassword("wonderland")
            let sent = landscape.requests().count
            let manager = bench.manager(next.configurator)
            for place in ["/mobile/bearer/com.example.app/orders", "/json", "/redirect/to/other"] {
                _ = try await manager.get(landscape.urlString(.main, place))
            }
            let seen = landscape.requests().dropFirst(sent)
            #expect(
                seen.count >= 4 && seen.allSatisfy { $0.values(of: Self.names[0]) + $0.values(of: Self.names[1]) == [] }
            )
        }
    }

    /// The usual domain is the server's own choice, and a gateway knows neither.
    @Test func theUsualValues() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            #expect(try await bench.backEnd(logon).isRegistered)
            try await logon.unregister()
            var input = input(bench)
            input.values.serverDomain = "sales"
            input.values.securityConfig = "ldap"
            try await logon.register(input)
            for request in bench.landscape.requests() {
                #expect(Self.names.allSatisfy { request.values(of: $0).isEmpty })
            }
        }
    }

    /// Values that would break out of their place. Nothing is sent.
    @Test(arguments: ["3 0", "300&x=y", "300\r\nX-Evil: 1", "3000", "٣٠٠", "-1", "3%30"])
    func noClient(text: String) async throws {
        try await refused { $0.gatewayClient = text }
    }

    @Test(arguments: ["a b", "a\r\nX-Evil: 1", "a\u{0}", "ä", "\u{7F}", String(repeating: "x", count: 129)])
    func noName(text: String) async throws {
        try await refused { $0.serverDomain = text }
        try await refused { $0.securityConfig = text }
    }

    private func refused(_ change: (inout RegistrationDefaults) -> Void) async throws {
        try await withLogon { bench in
            var input = bench.input()
            change(&input.values)
            let logon = try bench.logon()
            let error = await logonError { [input] in try await logon.register(input) }
            #expect(error?.code == .invalidParameter)
            #expect(error?.message.contains("Evil") == false)
            #expect(bench.landscape.requests().isEmpty)
        }
    }
}

extension HTTPResponse.Status {
    fileprivate var isOK: Bool { kind == .successful }
}
