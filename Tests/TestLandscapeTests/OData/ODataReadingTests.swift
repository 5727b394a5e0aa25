import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// The answers of the OData services to independent clients.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ODataReadingTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: ["v2", "v4"]) func servesMetadata(version: String) async throws {
        let service = ODataService(landscape: landscape, version: version)
        let file = try TemporaryFile("metadata.xml")
        try Data(try await service.get("$metadata").output).write(to: URL(filePath: file.path))
        let names = try await Program.run(
            "/usr/bin/python3",
            [
                "-c",
                "import sys,xml.etree.ElementTree as t;"
                    + "print(*sorted(e.get('Name') for e in t.parse(sys.argv[1]).iter() if e.tag.endswith('EntitySet')))",
                file.path,
            ])
        #expect(names.text == "Customers OrderLines Orders Products Rows\n")
        #expect(try await service.get("", "-i").text.contains(version == "v2" ? "atomsvc+xml" : "application/json"))
        let head = try await service.get("$metadata", "-I").text
        #expect(head.contains(version == "v2" ? "DataServiceVersion: 2.0" : "OData-Version: 4.0"))
    }

    @Test func formatsOfVersion2() async throws {
        let service = ODataService(landscape: landscape, version: "v2")
        let verbose = try await service.get("Products(3)?$format=json").text
        #expect(verbose.contains(#""Stock":"9223372036854775003""#))
        #expect(verbose.contains(#""Price":"12345678901234569.89""#))
        #expect(verbose.contains(#""Packed":"\/Date(1767236400123)\/""#))
        #expect(verbose.contains(#""Changed":"\/Date(1767236400000+0060)\/""#))
        #expect(verbose.contains(#""Name":"O'Neil's \"best\" 100 %""#))
        #expect(verbose.contains(#""Opens":"PT7H3M""#))
        #expect(verbose.contains(#""etag":"W/\"1\"""#))
        let light = try await service.get("Products(3)?$format=json", "-H", "Accept: */*").text
        #expect(light == verbose, "the option is stronger")
        let plain = try await service.get("Products(3)", "-H", "Accept: application/json;odata=light").text
        #expect(plain.contains(#""odata.metadata":"#) && plain.contains(#""Packed":"2026-01-01T03:00:00.123""#))
        let atom = try await service.get("Products(3)").text
        #expect(atom.contains("<d:Price m:type=\"Edm.Decimal\">12345678901234569.89</d:Price>"))
        #expect(atom.contains("<content type=\"image/png\" src=\"Products(3)/$value\"/>"))
        #expect(try await service.get("Products(1)").text.contains("<d:Remark m:null=\"true\"/>"))
    }

    @Test func formatsOfVersion4() async throws {
        let service = ODataService(landscape: landscape)
        let usual = try await service.get("Products(3)").text
        #expect(
            usual.contains(#""Stock":9223372036854775003,"#) && usual.contains(#""Price":12345678901234569.89,"#))
        #expect(usual.contains(#""Released":"2026-01-04""#) && usual.contains(#""Opens":"07:03:00""#))
        #expect(
            usual.contains(#""Changed":"2026-01-01T04:00:00+01:00""#) && usual.contains(#""Lasts":"P3DT3H1.500S""#))
        #expect(usual.contains("$metadata#Products/$entity"))
        let full = try await service.get("Products(3)?$format=application/json;odata.metadata=full").text
        #expect(
            full.contains(##""@odata.type":"#Landscape.Product""##)
                && full.contains(##""Code@odata.type":"#Guid""##))
        let none = try await service.get("Products(3)", "-H", "Accept: application/json;odata.metadata=none").text
        #expect(!none.contains("@odata"))
        let compatible = try await service.get(
            "Products(3)", "-H", "Accept: application/json;IEEE754Compatible=true"
        )
        .text
        #expect(compatible.contains(#""Stock":"9223372036854775003""#))
        #expect(try await service.get("Products(3)/Name/$value").text == "O'Neil's \"best\" 100 %")
        #expect(try await service.get("Products(3)/Digest/$value").output == Data([0, 0xFF, 3]))
        #expect(try await service.get("Products(1)/Remark", "-w", "%{http_code}").text == "204")
    }

    /// One literal of each type and the functions, in both versions.
    @Test func filtersRows() async throws {
        let cases: [(v2: String, v4: String, ids: [Int])] = [
            ("Name eq 'O''Neil''s \"best\" 100 %'", "Name eq 'O''Neil''s \"best\" 100 %'", [3]),
            ("Name eq 'a+b=c?d#e/f\\g'", "Name eq 'a+b=c?d#e/f\\g'", [6]),
            ("substringof('日本',Name)", "contains(Name,'日本')", [5]),
            ("Price eq 12345678901234569.89M", "Price eq 12345678901234569.89", [3]),
            ("Stock ge 9223372036854775011L", "Stock ge 9223372036854775011", [11, 12]),
            (
                "Code eq guid'0f8fad5b-d9cb-469f-a165-708677289514'",
                "Code eq 0F8FAD5B-D9CB-469F-A165-708677289514", [4]
            ),
            ("Packed eq datetime'2026-01-01T02:00:00.123'", "Packed eq 2026-01-01T02:00:00.123Z", [2]),
            ("Changed eq datetimeoffset'2026-01-01T03:00:00+01:00'", "Changed eq 2026-01-01T03:00:00+01:00", [2]),
            ("Released le datetime'2026-01-02T00:00:00'", "Released le 2026-01-02", [1]),
            ("Opens eq time'PT7H2M'", "Opens eq 07:02:00", [2]),
            ("Lasts eq time'P1DT1H1.5S'", "Lasts eq duration'P1DT1H1.5S'", [1]),
            ("Digest eq X'00FF05'", "Digest eq binary'AP8F'", [5]),
            ("Weight lt 0.15d and IsSold eq true", "Weight lt 0.15 and IsSold", [1]),
            ("Rating eq 1.5f or Trend eq -2", "Rating eq 1.5 or Trend eq -2", [2, 3]),
            ("Remark eq null and not (ProductID gt 5)", "Remark eq null and not (ProductID gt 5)", [1, 5]),
            ("length(Name) eq 3 or endswith(Name,'''')", "length(Name) eq 3 or endswith(Name,'''')", [1, 5, 12]),
            ("ProductID mul 2 add 1 eq 7", "ProductID mul 2 add 1 eq 7", [3]),
            ("year(Packed) eq 2026 and hour(Packed) eq 4", "year(Packed) eq 2026 and hour(Packed) eq 4", [4]),
            ("toupper(Name) eq 'TEA'", "tolower(trim(Name)) eq 'tea'", [1]),
        ]
        for (v2, v4, ids) in cases {
            for (version, filter) in [("v2", v2), ("v4", v4)] {
                let service = ODataService(landscape: landscape, version: version)
                let keys = try await service.keys("Products", "ProductID", where: filter)
                #expect(keys == ids.map(String.init), "\(version) \(filter)")
            }
        }
        let service = ODataService(landscape: landscape)
        #expect(try await service.keys("Customers", "CustomerID", where: "Address/City eq 'Oslo'").count == 2)
        #expect(
            try await service.keys(
                "Orders", "Note", where: "Lines/any(l:l/Quantity gt 3) and Customer/Name ne null")
                == ["<null>", "<null>", "<null>", "<null>"])
        for wrong in ["Name eq", "Name eq 'x", "nothing eq 1", "Name", "Price gt 'x'", "(Price gt 1", "f(1) eq 1"] {
            let encoded = wrong.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            #expect(try await service.send("GET", "Products?$filter=\(encoded)").status == 400, "\(wrong)")
        }
    }

    @Test(arguments: ["v2", "v4"]) func servesPages(version: String) async throws {
        landscape.odataRule.pageSize = 7
        let service = ODataService(landscape: landscape, version: version)
        var path = "Rows?rows=20&$orderby=ID desc&$skip=2&$top=16&"
        path += version == "v2" ? "$inlinecount=allpages" : "$count=true"
        var ids: [Int] = []
        var url: String? = service.root + path.replacingOccurrences(of: " ", with: "%20")
        while let next = url {
            let answer = try await Curl.run("-g", "-H", "Accept: application/json", next).json()
            let inner = answer["d"] as? [String: Any]
            #expect((inner?["__count"] as? String) == "20" || (answer["@odata.count"] as? Int) == 20)
            let rows = (inner?["results"] ?? answer["value"]) as? [[String: Any]] ?? []
            #expect(rows.count <= 7)
            ids += rows.compactMap { $0["ID"] as? Int }
            url = (inner?["__next"] ?? answer["@odata.nextLink"]) as? String
        }
        #expect(ids == (2..<18).reversed().map { $0 })
        #expect(landscape.odataCounters.pages == 3)
        #expect(try await service.get("Rows/$count?rows=12345").text == "12345")
        let small = try await service.rows("Rows?page=3")
        #expect(small.count == 3)
    }

    @Test(arguments: ["v2", "v4"]) func selectsAndExpands(version: String) async throws {
        let service = ODataService(landscape: landscape, version: version)
        let path = "Customers('ALFKI')/Orders?$select=OrderID&$orderby=OrderID&$expand="
        let deep =
            version == "v2" ? "Lines/Product,Customer" : "Lines($expand=Product;$select=Position;$top=1),Customer"
        let rows = try await service.rows(path + deep)
        #expect(rows.count == 3)
        let order = try #require(rows.first)
        #expect(order["Total"] == nil)
        let lines = (order["Lines"] as? [String: Any])?["results"] ?? order["Lines"]
        let line = try #require((lines as? [[String: Any]])?.first)
        #expect((line["Product"] as? [String: Any])?["Name"] is String)
        #expect((line["Quantity"] == nil) == (version == "v4"))
        #expect(try await service.rows("Customers('%C3%85NGA%2F1')/Orders").count == 3)
        #expect(try await service.send("GET", "Customers('nobody')").status == 404)
        #expect(try await service.send("GET", "Customers?$expand=Nothing").status == 400)
    }

    @Test func eachLoginGuardsTheService() async throws {
        func first(_ login: String, _ arguments: [String] = [], _ origin: LandscapeOrigin = .main) async throws
            -> String
        {
            try await ODataService(
                landscape: landscape, version: "v4", login: login, origin: origin, arguments: arguments
            ).get("Products", "-i").text
        }
        #expect(try await first("basic").contains("WWW-Authenticate: Basic"))
        #expect(try await first("basic", ["-u", "alice:wonderland"]).contains("HTTP/1.1 200"))
        #expect(try await first("bearer").contains("WWW-Authenticate: Bearer"))
        #expect(try await first("saml").contains("SAMLRequest"))
        let ca = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: URL(filePath: ca.path))
        #expect(
            try await Curl.run("--cacert", ca.path, landscape.urlString(.mutual, "/service/open/v4/")).exitCode != 0
        )
        let behind = landscape.urlString(.main, "/mobile/basic/com.example.app/v2/Products?$format=json")
        let rows = try await Curl.run("-g", "-u", "alice:wonderland", behind).text
        #expect(rows.contains("/mobile/basic/com.example.app/v2/Products(1)"))
    }
}
