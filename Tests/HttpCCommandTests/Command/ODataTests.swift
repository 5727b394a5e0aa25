import Foundation
import LandscapeSupport
import Testing

/// `httpc odata` against the landscape's services, with each login.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ODataTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static func ids(_ text: String) throws -> [Int] {
        try text.split(separator: "\n").map { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(row?["ID"] as? Int)
        }
    }

    private static func service(_ landscape: Landscape, _ login: String = "open", _ version: String = "v4") -> String {
        landscape.urlString(.main, "/service/\(login)/\(version)/")
    }

    @Test(arguments: ["v2", "v4"]) func reads(version: String) async throws {
        landscape.odataRule.pageSize = 7
        let service = Self.service(landscape, "open", version)
        let first = try await sandbox.httpc("odata", service, "Rows", "--select", "ID")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try Self.ids(first.text) == Array(0..<7))
        let all = try await sandbox.httpc(
            "odata", service, "Rows", "--all", "--filter", "ID lt 20", "--orderby", "ID desc")
        #expect(try Self.ids(all.text) == (0..<20).reversed())
        #expect(all.text.contains("\"Amount\":19.25"))
        let awkward = try await sandbox.httpc(
            "odata", service, "Products", "--filter", "Name eq 'O''Neil''s \"best\" 100 %'", "--expand", "")
        #expect(awkward.text.contains(#""Name":"O'Neil's \"best\" 100 %""#), "\(awkward.errors)")
        #expect(awkward.text.contains("\"Price\":12345678901234569.89"))
        let one = try await sandbox.httpc("odata", service, "Customers('ALFKI')", "--expand", "Orders")
        #expect(one.text.contains("\"Orders\":[{"))
        let sets = try await sandbox.httpc("odata", service)
        #expect(sets.text == "Customers\nOrderLines\nOrders\nProducts\nRows\n")
        let model = try await sandbox.httpc("odata", service, "--metadata")
        #expect(model.text.contains("  ProductID") && model.text.contains("Edm.Guid"), "\(model.text)")
        #expect(model.text.contains("Name & title") == (version == "v2"))
        let json = try await sandbox.httpc("odata", service, "--metadata", "--json")
        let object = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
        #expect(object?["version"] as? String == (version == "v2" ? "2.0" : "4.0"))
    }

    /// A URL as browsers show or copy it: with its query, encoded or not, and without a hint where the service begins.
    @Test func takesAWholeURL() async throws {
        let service = Self.service(landscape)
        for query in ["$filter=ID lt 3&$orderby=ID desc", "$filter=ID%20lt%203&$orderby=ID%20desc&$format=json"] {
            let found = try await sandbox.httpc("odata", "\(service)Rows?\(query)")
            #expect(try Self.ids(found.text) == [2, 1, 0], "\(found.errors)")
        }
        let one = try await sandbox.httpc("odata", "\(service)Customers('ALFKI')?$expand=Orders")
        #expect(one.text.contains("\"Orders\":[{"), "\(one.errors)")
        let below = try await sandbox.httpc("odata", "\(service)Customers('ALFKI')/Orders?$top=1", "--json")
        #expect(below.status == 0 && below.text.split(separator: "\n").count == 1, "\(below.errors)")
        let more = try await sandbox.httpc("odata", "\(service)Rows?$top=5", "--filter", "ID ge 7")
        #expect(try Self.ids(more.text) == Array(7..<12), "\(more.errors)")
        let plain = try await sandbox.httpc("odata", "\(service)Rows", "--all")
        #expect(plain.status == 0 && !plain.text.isEmpty, "\(plain.errors)")
        let model = try await sandbox.httpc("odata", "\(service)$metadata", "--json")
        #expect(model.text.hasPrefix("{\"version\""), "\(model.errors)")
        for (words, reason) in [
            (["\(service)Rows?$top=5", "Rows"], "leave out PATH"),
            (["\(service)Rows?$top=5", "--top", "5"], "say it once"),
        ] {
            let refused = try await sandbox.httpc(["odata"] + words)
            #expect(refused.status == 2 && refused.errors.contains(reason), "\(refused.errors)")
        }
    }

    /// A result that is a value, of a function whose argument has characters that end other paths.
    @Test(arguments: ["v2", "v4"]) func values(version: String) async throws {
        let path = version == "v2" ? "Echo?text='C#?'" : "Echo(text='C#?')"
        let found = try await sandbox.httpc("odata", Self.service(landscape, "open", version), path)
        #expect(found.status == 0 && found.text == "\"C#?\"\n", "\(found.errors)\(found.text)")
    }

    /// The number alone, of a set as of what a filter leaves of it.
    @Test(arguments: ["v2", "v4"]) func counts(version: String) async throws {
        let service = Self.service(landscape, "open", version)
        for (words, count) in [
            (["\(service)Rows/$count"], "1000\n"), (["\(service)Rows/$count?$filter=ID%20lt%203"], "3\n"),
            ([service, "Rows/$count", "--filter", "ID lt 5"], "5\n"), ([service, "Rows/$count?rows=7"], "7\n"),
            ([service, "Customers('ALFKI')/Orders/$count"], "\(try await Self.orders(service, sandbox))\n"),
        ] {
            let outcome = try await sandbox.httpc(["odata"] + words)
            #expect(outcome.status == 0 && outcome.text == count, "\(words): \(outcome.errors)")
        }
        let missing = try await sandbox.httpc("odata", service, "Nothing/$count")
        #expect(missing.status == 22 && missing.text.isEmpty, "\(missing.errors)")
    }

    private static func orders(_ service: String, _ sandbox: Sandbox) async throws -> Int {
        let orders = try await sandbox.httpc("odata", service, "Customers('ALFKI')/Orders", "--json")
        return orders.text.split(separator: "\n").count
    }

    /// The client of an SAP server goes along with the request for the metadata, and the rest of a query does not.
    @Test func theClientIsThatOfTheMetadata() async throws {
        let service = Self.service(landscape)
        for words in [
            ["\(service)Rows?$top=1&sap-client=100"], [service, "Rows?$top=1&sap-client=100"],
            ["\(service)$metadata?sap-client=100"],
        ] {
            let outcome = try await sandbox.httpc(["odata"] + words)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let asked = landscape.requests().filter { $0.path.hasSuffix("/$metadata") }
            #expect(asked.last?.target.hasSuffix("/$metadata?sap-client=100") == true, "\(asked)")
        }
        var before = landscape.requests().count
        _ = try await sandbox.httpc(
            "odata", service, "Rows?$top=1", "-H", "sap-client: 200", "-H", "Accept: application/json")
        var asked = landscape.requests().dropFirst(before)
        #expect(asked.map { $0.values(of: "sap-client") } == [["200"], ["200"]])
        #expect(asked.map { $0.values(of: "accept") } == [["application/xml"], ["application/json"]])
        #expect(asked.first?.target.hasSuffix("/$metadata") == true)
        before = landscape.requests().count
        let changed = try await sandbox.httpc(
            "odata", "update", "\(service)?sap-client=100", "Products(3)", "-d", #"{"Stock":7}"#, "--if-match", "*")
        #expect(changed.status == 0, "\(changed.errors)")
        asked = landscape.requests().dropFirst(before)
        #expect(asked.count > 1 && asked.allSatisfy { $0.target.hasSuffix("?sap-client=100") }, "\(asked)")
    }

    @Test func failuresHaveNumbers() async throws {
        let service = Self.service(landscape)
        let cases: [([String], Int32, String)] = [
            (["odata", service, "Nothing"], 22, "404"),
            (["odata", service, "Products", "--filter", "Name eq"], 22, "The service says"),
            (["odata", service, "--filter", "x"], 2, "PATH"),
            (["odata", service, "Products", "--top", "-1"], 2, "--top"),
            (["odata", landscape.urlString(.main, "/plain/"), "Rows"], 22, "404"),
            (["odata", Self.service(landscape, "basic"), "Rows"], 67, "use -u or a profile, or run: httpc init"),
            (["odata", "-u", "alice:wrong", Self.service(landscape, "basic"), "Rows"], 67, "did not accept"),
            (["odata", "create", service, "Products", "--data", "{"], 2, "JSON"),
            (["odata", "delete", service, "Products(1)"], 22, "428"),
            (["odata", service, "../../admin/reset"], 8, "not followed"),
        ]
        for (arguments, status, text) in cases {
            let outcome = try await sandbox.httpc(arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains(text), "\(arguments): \(outcome.errors)")
        }
    }

    @Test(arguments: ["v2", "v4"]) func changes(version: String) async throws {
        let service = Self.service(landscape, "basic", version)
        let who = ["-u", "alice:wonderland"]
        let made = try await sandbox.httpc(
            ["odata", "create", service, "Products", "--data", #"{"Name":"a'b","Price":0.1}"#] + who)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.text.contains(#""ProductID":13"#) && made.text.contains(#""Price":0.1,"#))
        func update(_ tag: String) async throws -> RunningCommand.Outcome {
            try await sandbox.httpc(
                ["odata", "update", service, "Products(13)", "-d", #"{"Stock":7}"#, "--if-match", tag] + who)
        }
        #expect(try await update(#"W/"1""#).status == 0)
        let late = try await update(#"W/"1""#)
        #expect(late.status == 22)
        #expect(late.errors.contains(#"W/"2""#), "the version that there is is shown: \(late.errors)")
        let kept = try await sandbox.httpc(["odata", service, "Products(13)"] + who)
        #expect(kept.text.contains(#""Stock":7"#) && kept.text.contains("a'b"))
        #expect(Canary.forms(of: "wonderland", in: made.errors + late.errors) == [])
    }

    @Test func replacesAndDeletes() async throws {
        func odata(_ words: String...) async throws -> RunningCommand.Outcome {
            try await sandbox.httpc(["odata"] + words)
        }
        let service = Self.service(landscape)
        let replaced = try await odata(
            "update", service, "Products(2)", "-d", #"{"Stock":7}"#, "--if-match", "*", "--replace")
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(try await odata(service, "Products(2)").text.contains(#""Name":null"#))
        #expect(try await odata("delete", service, "Products(2)", "--if-match", "*").status == 0)
        #expect(try await odata(service, "Products(2)").status == 22)
    }

    // MARK: Logins by profiles

    private static let environment = WebProfile.environment.merging(OAuth2Profile.secrets) { $1 }

    @Test(arguments: ["basic", "bearer", "saml"]) func behindLogins(login: String) async throws {
        try Self.profile(login, landscape, in: sandbox)
        let outcome = try await sandbox.httpc(
            ["odata", Self.service(landscape, login), "Rows?rows=3"], environment: Self.environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Self.ids(outcome.text) == [0, 1, 2])
    }

    @Test func behindMutualTLS() async throws {
        let made = try landscape.certificates.client("alice")
        try sandbox.write(made.certificatePEM + made.keyPEM + "\n", to: "alice.pem")
        let url = landscape.urlString(.mutual, "/service/open/v4/")
        try sandbox.write(
            """
            [profiles.p]
            match = ["\(landscape.urlString(.mutual))"]
            cacert = "\(try sandbox.authority(of: landscape))"
            [profiles.p.cert]
            file = "\(sandbox.path("alice.pem"))"
            """, to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc("odata", url, "Rows?rows=2")
        #expect(try Self.ids(outcome.text) == [0, 1], "\(outcome.errors)")
    }

    /// Writes a profile that logs in without questions.
    private static func profile(_ login: String, _ landscape: Landscape, in sandbox: Sandbox) throws {
        let base = landscape.urlString(.main, "")
        let more =
            switch login {
            case "basic": "[profiles.work.basic]\nusername = \"alice\"\npassword-env = \"PASSWORD\""
            case "bearer": OAuth2Profile.table("password", landscape)
            default:
                """
                answer-origins = ["\(base)", "\(landscape.identityProvider())"]
                [profiles.work.saml2]
                finish-endpoint = "/SAMLAuthLauncher"
                finish-parameter = "finishEndpointParam"
                \(WebProfile.answers)
                """
            }
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(base)/service/\(login)\", \"\(base)/saml\"]\n\(more)",
            to: "config/httpc/config.toml")
    }

    /// The session or the access token ends in the middle of twenty pages: there is one more login, and each row comes
    /// once.
    @Test(arguments: ["bearer", "saml"]) func aSessionEndsBetweenPages(login: String) async throws {
        try Self.profile(login, landscape, in: sandbox)
        landscape.odataRule.expiresAfterPages = 10
        let outcome = try await sandbox.httpc(
            ["odata", Self.service(landscape, login), "Rows?rows=200&page=10", "--all"],
            environment: Self.environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Self.ids(outcome.text) == Array(0..<200))
        #expect(landscape.odataCounters.pages == 20)
        let logins = login == "saml" ? landscape.samlCounters.logins : landscape.oauthCounters.tokenRequests
        #expect(logins == 2, "the first, and one more")
    }

    /// A person at a terminal logs in, and sees a table.
    @Test func atATerminal() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        try Self.profile("saml", landscape, in: sandbox)
        let text = try #require(
            sandbox.read("config/httpc/config.toml").map { String(decoding: $0, as: UTF8.self) })
        try sandbox.write(text.replacing(WebProfile.answers, with: ""), to: "config/httpc/config.toml")
        let command = try profile.onTerminal("odata \(Self.service(landscape, "saml")) 'Rows?rows=2'")
        for (label, text) in [("User name", "alice"), ("Password", "wonderland")] {
            try await command.answer("\(label): ", text)
        }
        let outcome = try await command.outcome(after: "status=")
        #expect(outcome.text.contains("ID  Name"), "\(outcome.text)")
        #expect(outcome.text.contains("1   Row 1 — ünïcödé  1.25"))
    }

    @Test func aTableSteersNoTerminal() async throws {
        landscape.odataRule.fault = .controls
        let profile = try WebProfile(landscape, in: sandbox)
        for more in ["", "--json"] {
            let command = try profile.onTerminal("odata \(Self.service(landscape)) 'Rows?rows=2' \(more)")
            let outcome = try await command.outcome(after: "status=")
            #expect(outcome.text.contains("status=0"), "\(outcome.text)")
            for scalar in outcome.text.unicodeScalars {
                #expect(scalar != "\u{202E}" && scalar != "\u{1B}" && scalar != "\u{9B}" && scalar != "\u{7}")
            }
        }
    }
}
