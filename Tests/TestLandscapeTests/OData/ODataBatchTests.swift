import Foundation
import LandscapeSupport
import Testing

/// Several requests in one batch.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ODataBatchTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func part(_ request: String, id: Int? = nil) -> String {
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
            + (id.map { "Content-ID: \($0)\r\n" } ?? "") + "\r\n" + request
    }

    private static func json(_ line: String, _ body: String, _ more: String = "") -> String {
        "\(line) HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\(more)\r\n\(body)"
    }

    private static func multipart(_ boundary: String, _ parts: [String]) -> String {
        parts.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n"
    }

    private static func batch(_ service: ODataService, _ second: String) async throws -> (status: Int, text: String) {
        let change =
            "Content-Type: multipart/mixed; boundary=c\r\n\r\n"
            + multipart(
                "c",
                [
                    part(json("POST Customers", #"{"CustomerID":"NEW","Name":"n"}"#), id: 1),
                    part(json(second.contains("$1") ? "POST $1/Orders" : second, #"{"Note":"of the batch"}"#), id: 2),
                ])
        let body = multipart(
            "b", [part("GET Products/$count HTTP/1.1\r\n\r\n"), change, part("GET Nothing HTTP/1.1\r\n\r\n")])
        return try await service.send(
            "POST", "$batch", body, "-H", "Content-Type: multipart/mixed; boundary=b", "-H",
            "Prefer: odata.continue-on-error")
    }

    @Test(arguments: ["v2", "v4"]) func changeSetsSucceedOrFailWhole(version: String) async throws {
        let service = ODataService(landscape: landscape, version: version)
        let good = try await Self.batch(service, "$1")
        #expect(good.status == (version == "v2" ? 202 : 200))
        #expect(good.text.contains("HTTP/1.1 200 Good\r\nContent-Type: text/plain;charset=utf-8"))
        #expect(good.text.components(separatedBy: "HTTP/1.1 201").count == 3)
        #expect(good.text.contains("Content-ID: 2") && good.text.contains("HTTP/1.1 404"))
        let orders = try await service.rows("Customers('NEW')/Orders")
        #expect(orders.first?["Note"] as? String == "of the batch")
        landscape.resetOData()
        let bad = try await Self.batch(service, "POST Nothing")
        #expect(bad.text.components(separatedBy: "HTTP/1.1 404").count == 3 && !bad.text.contains("201"))
        #expect(try await service.send("GET", "Customers('NEW')").status == 404)
        for wrong in ["", "--b\r\n\r\n--b--", "--b\r\nContent-Type: application/http\r\n\r\nGET\r\n--b--"] {
            let answer = try await service.send(
                "POST", "$batch", wrong, "-H", "Content-Type: multipart/mixed; boundary=b")
            #expect(answer.status == 400)
        }
    }

    @Test func answersJSONBatches() async throws {
        let service = ODataService(landscape: landscape)
        func batch(_ last: String) async throws -> [[String: Any]] {
            let text = """
                {"requests":[{"id":"a","method":"get","url":"Products/$count"},
                {"id":"1","method":"post","url":"Customers","atomicityGroup":"g","body":{"CustomerID":"NEW"}},
                {"id":"2","method":"post","url":"\(last)","atomicityGroup":"g","body":{"Note":"n"}},
                {"id":"3","method":"get","url":"$1","dependsOn":["g"]}]}
                """
            let answer = try await Curl.run(
                ["-g", "-H", "Content-Type: application/json", "-d", text, service.root + "$batch"]
            ).json()
            return answer["responses"] as? [[String: Any]] ?? []
        }
        let good = try await batch("$1/Orders")
        #expect(good.map { $0["status"] as? Int } == [200, 201, 201, 200])
        #expect((good.last?["body"] as? [String: Any])?["CustomerID"] as? String == "NEW")
        landscape.resetOData()
        let bad = try await batch("Nothing")
        #expect(bad.map { $0["status"] as? Int } == [200, 424, 404, 424])
        #expect(try await service.send("GET", "Customers('NEW')").status == 404)
    }
}
