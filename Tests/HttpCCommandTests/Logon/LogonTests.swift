import Foundation
import HttpC
import LandscapeSupport
import TestSupport
import Testing

@testable import HttpCClient

/// The way from no registration to a protected resource, and the opening and closing of the vault for other processes.
@Suite(.landscape, .timeLimit(.minutes(2))) struct LogonTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// Whether this kernel keeps keys. If it refuses, as in some containers, each process asks for the passcode.
    private var sharesKeys: Bool {
        let name = "httpc test \(UUID().uuidString)"
        defer { SharedLogon.systemKeys.forget(name) }
        return SharedLogon.systemKeys.keep(Redacted([UInt8](repeating: 1, count: 32)), of: name, for: .seconds(60))
    }

    @Test(arguments: LogonProfile.Login.allCases) func fromNothingToAResource(login: LogonProfile.Login) async throws {
        let profile = try LogonProfile(login, landscape, in: sandbox)
        let before = try await profile.run(profile.resource)
        #expect(before.status == 67 && before.errors.contains("httpc logon --profile work"), "\(before.errors)")
        #expect(landscape.requests(path: "/mobile/\(login.rawValue)/\(LogonProfile.application)/orders").isEmpty)

        let logon = try await profile.onTerminal("logon --profile work", typing: try profile.answers())
        #expect(logon.text.contains("status=0"), "\(logon.text)")
        #expect(landscape.mobileConnections.count == 1)
        for secret in ["wonderland", LogonProfile.passcode] { #expect(!logon.text.contains(secret)) }

        // No person is there; the run has the shared key alone.
        let open = try await profile.run(profile.resource)
        #expect(open.status == (sharesKeys ? 0 : 67), "\(open.errors)")
        if sharesKeys {
            #expect(open.text.contains("\"user\":\"alice\"") && open.text.contains("\"isRegistered\":true"))
        }

        let lock = try await profile.run("lock")
        #expect(lock.errors.contains("locked: \"work\""))
        let locked = try await profile.run(profile.resource)
        #expect(locked.status == 67 && locked.text.isEmpty, "\(locked.text)")
        #expect(locked.errors.contains("is locked") && locked.errors.contains("httpc unlock --profile work"))
        let asked = try await profile.onTerminal(
            profile.resource, typing: [("Passcode: ", LogonProfile.passcode)])
        #expect(asked.text.contains("status=0") && asked.text.contains("\"user\": \"alice\""), "\(asked.text)")
        _ = try await profile.run("lock")
    }

    /// The identity provider is reached through a proxy, the server is not.
    @Test func asksAboutAProxyOnTheWayByItsName() async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        let proxy = "http://127.0.0.1:\(landscape.port(.proxy))"
        let profile = try LogonProfile(.codeAfterSAML2, landscape, in: sandbox)
        let logon = try await profile.onTerminal(
            "logon --profile work -x \(proxy) -U paula --noproxy 127.0.0.1",
            typing: [("password of paula for the proxy \(proxy): ", "through-the-wall")] + profile.answers())
        #expect(logon.text.contains("status=0"), "\(logon.text)")
        #expect(landscape.proxyRecords.contains { $0.user == "paula" })
        _ = try await profile.run("lock")
    }

    @Test func passcodesThatAreWrong() async throws {
        landscape.mobileRule.properties["PasswordPolicyRetryLimit"] = .number(3)
        let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
        #expect(try await profile.logOn("--har", "kept.har", "--trace", "kept.html").status == 0)
        for name in ["kept.har", "kept.html"] {
            let text = String(decoding: sandbox.read(name) ?? Data(), as: UTF8.self)
            #expect(text.contains("/mobile/") && Canary.forms(of: "wonderland", in: text) == [])
        }
        _ = try await profile.run("lock", "--profile", "work")
        for left in ["2 tries", "One try"] {
            let wrong = try await profile.run(
                "unlock", "--profile", "work", "--passcode-env", "WRONG", environment: ["WRONG": "wrong123"])
            #expect(wrong.status == 67 && wrong.errors.lowercased().contains(left.lowercased()), "\(wrong.errors)")
        }
        let right = try await profile.run("unlock", "--profile", "work", "--passcode-env", "CODE")
        #expect(right.status == 0, "\(right.errors)")
        _ = try await profile.run("lock")
        for _ in 0..<3 {
            let wrong = try await profile.run(
                "unlock", "--profile", "work", "--passcode-env", "WRONG", environment: ["WRONG": "wrong123"])
            #expect(wrong.status == 67)
        }
        let wiped = try await profile.run("unlock", "--profile", "work", "--passcode-env", "CODE")
        #expect(wiped.status == 67, "the vault is gone: \(wiped.errors)")
        let resource = try await profile.run(profile.resource)
        #expect(resource.status == 67 && resource.errors.contains("httpc logon"), "\(resource.errors)")
    }

    /// A registration without a vault ends with the process. At the server it would stay, and no later run would know
    /// it.
    @Test(arguments: [[], ["--account", "Home"]]) func aRegistrationWithoutAVaultIsWithdrawn(
        account: [String]
    ) async throws {
        let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
        let weak = try await profile.run(
            ["logon", "--profile", "work", "--passcode-env", "SHORT"] + account,
            environment: ["PASSWORD": "wonderland", "SHORT": "a1"])
        #expect(weak.status == 67 && weak.errors.contains("policy"), "\(weak.errors)")
        #expect(!weak.errors.contains("still has the registration"), "\(weak.errors)")
        #expect(landscape.requests().contains { $0.method == "POST" && $0.path.hasSuffix("/Connections") })
        #expect(landscape.mobileConnections.isEmpty)
        // The next run begins anew.
        #expect(try await profile.logOn().status == 0 && landscape.mobileConnections.count == 1)
        _ = try await profile.run("lock")
    }

    /// A relay has the vault open, and another process removes it.
    @Test func aRelayIsToldThatTheRegistrationHasEnded() async throws {
        let profile = try LogonProfile(
            .basic, landscape, in: sandbox, tables: LogonProfile.password, keys: "passcode-env = \"CODE\"")
        #expect(try await profile.logOn().status == 0)
        let relay = try await RunningRelay(
            [profile.url("")], in: sandbox, environment: ["PASSWORD": "wonderland", "CODE": LogonProfile.passcode])
        let resource = "\(relay.url)/\(LogonProfile.application)/orders"
        let open = try await relay.curl(resource)
        #expect(open.text.contains("\"isRegistered\":true"), "\(open.text)")
        let end = try await profile.run("unregister", "--profile", "work", "--passcode-env", "CODE")
        #expect(end.status == 0 && landscape.mobileConnections.isEmpty, "\(end.errors)")
        let ended = try await relay.curl(resource)
        #expect(ended.text.contains("The registration has ended: start httpc again"), "\(ended.text)")
        _ = await relay.end()
    }

    /// The client of a gateway goes with every request there, and over no redirect to another server.
    @Test func clientOfAGateway() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let login = """
                [profiles.work]
                match = ["\(landscape.urlString(.other, "/"))"]
                [profiles.work.logon]
                application = "\(LogonProfile.application)"
                gateway-client = "300"
                passcode-env = "CODE"

                """
            try sandbox.write(login + LogonProfile.password, to: "config/httpc/config.toml")
            let runs = [
                ["logon", "--profile", "work"],
                ["-L", landscape.urlString(.other, "/basic/data"), landscape.urlString(.other, "/redirect/to/main")],
            ]
            for arguments in runs {
                let outcome = try await sandbox.httpc(
                    arguments, environment: ["PASSWORD": "wonderland", "CODE": LogonProfile.passcode])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let requests = landscape.requests()
            #expect(requests.contains { $0.path == "/redirect/to/main" } && requests.contains { $0.path == "/json" })
            for request in requests {
                #expect(
                    request.values(of: "sap-client") == (request.origin == .other ? ["300"] : []), "\(request.path)")
            }
            _ = try await sandbox.httpc("lock")
        }
    }

    /// The policy's timeout ends the key, by the kernel's clock.
    @Test func keyEndsByItself() async throws {
        landscape.mobileRule.properties["PasswordPolicyLockTimeout"] = .number(1)
        let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
        #expect(try await profile.logOn().status == 0)
        let directory = URL(filePath: sandbox.path("state/httpc/work/logon"), directoryHint: .isDirectory)
        let name = try #require(VaultKeyName.of(directory))
        // Each look renews the key for a second, so the interval is longer than that.
        while SharedLogon.systemKeys.key(of: name, renewedFor: .seconds(1)) != nil {
            try await Task.sleep(for: .milliseconds(2500))
        }
        let locked = try await profile.run(profile.resource)
        #expect(locked.status == 67 && locked.errors.contains("is locked"), "\(locked.errors)")
    }

    @Test func passcodeSettingsAndTheEnd() async throws {
        let profile = try LogonProfile(.basic, landscape, in: sandbox, tables: LogonProfile.password)
        #expect(try await profile.logOn().status == 0)
        let new = ["NEW": "efgh5678"]
        let refused = try await profile.run(
            "passcode", "--profile", "work", "--passcode-env", "CODE", "--new-passcode-env", "SHORT",
            environment: ["SHORT": "a1"])
        #expect(refused.status == 67, "\(refused.errors)")
        let changed = try await profile.run(
            "passcode", "--profile", "work", "--passcode-env", "CODE", "--new-passcode-env", "NEW", environment: new
        )
        #expect(changed.status == 0, "\(changed.errors)")
        _ = try await profile.run("lock")
        let old = try await profile.run("unlock", "--profile", "work", "--passcode-env", "CODE")
        #expect(old.status == 67)
        let settings = try await profile.run(
            "settings", "--json", "--profile", "work", "--passcode-env", "NEW", environment: new)
        let object = try JSONSerialization.jsonObject(with: settings.output) as? [String: [String: Any]]
        #expect(object?["passcode"]?["tries"] as? Int == 10, "\(settings.errors)")

        _ = try await profile.run("lock")
        let away = try await profile.run(
            "unregister", "--profile", "work", "--passcode-env", "NEW", environment: new)
        #expect(away.status == 0 && landscape.mobileConnections.isEmpty, "\(away.errors)")
        #expect(try await profile.logOn().status == 0)
        _ = try await profile.run("lock")
        let local = try await profile.run("unregister", "--local", "--profile", "work")
        #expect(local.status == 0 && landscape.mobileConnections.count == 1, "\(local.errors)")
        let none = try await profile.run("unregister", "--profile", "work")
        #expect(none.status == 0 && none.errors.contains("nothing is registered"))
    }
}
