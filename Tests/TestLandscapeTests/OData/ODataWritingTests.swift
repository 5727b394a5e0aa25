import Foundation
import LandscapeSupport
import Testing

/// Changes of entities.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ODataWritingTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: ["v2", "v4"]) func createsChangesAndDeletesEntities(version: String) async throws {
        let service = ODataService(landscape: landscape, version: version)
        let body = #"{"Name":"new","Price":\#(version == "v2" ? "\"0.10\"" : "0.10"),"Stock":"5"}"#
        let made = try await service.send("POST", "Products", body)
        #expect(made.status == 201 && made.text.contains("Location: \(service.root)Products(13)"))
        #expect(made.text.contains(#"ETag: W/"1""#))
        let merge = version == "v2" ? "MERGE" : "PATCH"
        let change = #"{"Name":"newer"}"#
        #expect(try await service.send(merge, "Products(13)", change).status == 428)
        let done = try await service.send(merge, "Products(13)", change, "-H", #"If-Match: W/"1""#)
        #expect(done.status == 204 && done.text.contains(#"ETag: W/"2""#))
        let late = try await service.send(merge, "Products(13)", change, "-H", #"If-Match: W/"1""#)
        #expect(late.status == 412 && late.text.contains(#"ETag: W/"2""#))
        let rows = try await service.rows("Products?$filter=ProductID%20eq%2013")
        #expect(rows.first?["Name"] as? String == "newer" && !(rows.first?["Price"] is NSNull))
        #expect(try await service.send("GET", "Products(13)", nil, "-H", #"If-None-Match: W/"2""#).status == 304)
        #expect(try await service.send("PUT", "Products(13)", "{}", "-H", "If-Match: *").status == 204)
        let emptied = try await service.rows("Products?$filter=ProductID%20eq%2013%20and%20Name%20eq%20null")
        #expect(emptied.count == 1)
        let tunnelled = try await service.send(
            "POST", "Products(13)", change, "-H", "X-HTTP-Method: MERGE", "-H", "If-Match: *")
        #expect(tunnelled.status == 204)
        #expect(try await service.send("DELETE", "Products(13)", nil, "-H", "If-Match: *").status == 204)
        #expect(try await service.send("GET", "Products(13)").status == 404)
        #expect(landscape.odataCounters.conflicts == 1)
    }

    @Test func errorsSayAllThatIsWrong() async throws {
        for version in ["v2", "v4"] {
            let service = ODataService(landscape: landscape, version: version)
            let wrong = try await service.send(
                "POST", "Products", #"{"Colour":1,"Grade":256,"Code":"x","Name":"ok"}"#)
            #expect(wrong.status == 400)
            for name in ["Code", "Colour", "Grade"] { #expect(wrong.text.contains("\"target\":\"\(name)\"")) }
            #expect(wrong.text.contains("innererror"))
            #expect(try await service.send("POST", "Products", "{").status == 400)
            #expect(
                try await service.send("POST", "Orders", "<entry/>", "-H", "Content-Type: text/xml").status == 415)
            #expect(try await service.send("POST", "Customers", "{}").status == 400)
            #expect(try await service.send("POST", "Customers", #"{"CustomerID":"ALFKI"}"#).status == 409)
            #expect(try await service.send("DELETE", "Products").status == 405)
        }
        let atom = try await Curl.run("-g", landscape.urlString(.main, "/service/open/v2/Nothing")).text
        #expect(atom.contains("<code>LND/404</code>"))
    }

    @Test func writesLinksAndDeepInserts() async throws {
        for (version, path, key) in [("v2", "$links/Customer", "uri"), ("v4", "Customer/$ref", "@odata.id")] {
            let service = ODataService(landscape: landscape, version: version)
            let id = version == "v2" ? "9007199254740991L" : "9007199254740991"
            let link = #"{"\#(key)":"Customers('ALFKI')"}"#
            #expect(try await service.send("PUT", "Orders(\(id))/\(path)", link).status == 204)
            #expect(try await service.get("Orders(\(id))/\(path)").text.contains("Customers('ALFKI')"))
            #expect(try await service.send("DELETE", "Orders(\(id))/\(path)").status == 204)
            let order =
                version == "v2"
                ? #"{"Note":"deep","Lines":[{"Position":1},{"Position":2}]}"#
                : #"{"Note":"deep","Customer@odata.bind":"Customers('ALFKI')","Lines":[{"Position":1}]}"#
            #expect(try await service.send("POST", "Orders", order).status == 201)
        }
        let service = ODataService(landscape: landscape)
        #expect(try await service.keys("Orders", "CustomerID", where: "Note eq 'deep'") == ["<null>", "ALFKI"])
        #expect(try await service.rows("Orders?$filter=Note%20eq%20'deep'&$expand=Lines").count == 2)
    }

    @Test func servesMediaAndOperations() async throws {
        let v4 = ODataService(landscape: landscape)
        let v2 = ODataService(landscape: landscape, version: "v2")
        #expect(try await v4.get("Products(1)/$value").output.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        let put = ["-X", "PUT", "-H", "Content-Type: text/plain", "-d", "media", v4.root + "Products(1)/$value"]
        #expect(try await Curl.run(["-g", "-o", "/dev/null", "-w", "%{http_code}"] + put).text == "204")
        #expect(try await v2.get("Products(1)/$value", "-i").text.hasSuffix("\r\n\r\nmedia"))
        let post = ["-H", "Content-Type: image/gif", "-H", "Slug: caf%C3%A9", "-d", "gif", v4.root + "Products"]
        #expect(try await Curl.run(["-g"] + post).text.contains(#""Name":"café""#))

        #expect(try await v2.rows("TopProducts?count=2").count == 2)
        #expect(try await v4.rows("TopProducts(count=2)").count == 2)
        #expect(try await v2.get("Echo?text='it''s'&$format=json").text == #"{"d":{"Echo":"it's"}}"#)
        #expect(try await v4.get("Echo(text=@t)?@t='it''s'").text.contains(#""value":"it's""#))
        let after = try await v4.get("Products(2)/Landscape.PriceAfter(percent=50)").text
        #expect(after.contains(#""value":6172839450617284.445"#))
        let action = try await v4.send("POST", "Products(2)/Landscape.Discount", #"{"percent":50}"#)
        #expect(action.text.contains(#""Price":6172839450617284.445"#))
        #expect(try await v2.send("POST", "Discount?ProductID=2&percent=101M").status == 400)
        #expect(try await v2.send("POST", "Reset").status == 204)
        #expect(try await v2.get("Products/$count").text == "12")
    }

    @Test func changesNeedCSRFTokens() async throws {
        let jar = try TemporaryFile("jar")
        let arguments = ["-u", "alice:wonderland", "-c", jar.path, "-b", jar.path]
        let service = ODataService(landscape: landscape, login: "basic", arguments: arguments)
        let refused = try await service.send("POST", "Products", "{}")
        #expect(refused.status == 403 && refused.text.contains("X-CSRF-Token: Required"))
        let head = try await service.get("", "-i", "-H", "X-CSRF-Token: Fetch").text
        let token = try #require(head.firstMatch(of: /X-CSRF-Token: (\S+)/)).1
        #expect(try await service.send("POST", "Products", "{}", "-H", "X-CSRF-Token: \(token)").status == 201)
        let other = ODataService(landscape: landscape, login: "basic", arguments: ["-u", "alice:wonderland"])
        #expect(try await other.send("POST", "Products", "{}", "-H", "X-CSRF-Token: \(token)").status == 403)
        landscape.expireODataTokens()
        #expect(try await service.send("POST", "Products", "{}", "-H", "X-CSRF-Token: \(token)").status == 403)
        #expect(landscape.odataCounters.tokenless == 3)
    }
}
