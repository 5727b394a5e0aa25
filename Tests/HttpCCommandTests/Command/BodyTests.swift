import Foundation
import LandscapeSupport
import Testing

/// The request bodies of -d, --data-binary, -G and -T.
@Suite(.landscape, .timeLimit(.minutes(1))) struct BodyTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// The arguments, standard input, and the request that the server gets.
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        var input: String?
        let method: String
        let body: String
        var path = "/echo"
        var target = "/echo"
        var type: String? = "application/x-www-form-urlencoded"
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let cases = [
        Case(arguments: ["-d", "a=1"], method: "POST", body: "a=1"),
        Case(arguments: ["-d", "a=1", "-d", "b=2"], method: "POST", body: "a=1&b=2"),
        Case(arguments: ["-d", ""], method: "POST", body: ""),
        Case(arguments: ["-d", "-1"], method: "POST", body: "-1"),
        Case(arguments: ["-dx"], method: "POST", body: "x"),
        Case(arguments: ["-d", "@lines"], method: "POST", body: "onetwo"),
        Case(arguments: ["--data-binary", "@lines"], method: "POST", body: "one\r\ntwo\n"),
        Case(arguments: ["--data-binary", "@lines", "--data-binary", "x"], method: "POST", body: "one\r\ntwo\n&x"),
        Case(arguments: ["-d", "@-"], input: "in\nput", method: "POST", body: "input"),
        Case(arguments: ["-X", "PATCH", "-d", "x"], method: "PATCH", body: "x"),
        Case(arguments: ["--data-raw", "@lines"], method: "POST", body: "@lines"),
        Case(
            arguments: [
                "--data-urlencode", "a b", "--data-urlencode", "=c=d", "--data-urlencode", "e=f&ä",
                "--data-urlencode", "g@lines",
            ], method: "POST", body: "a+b&c%3Dd&e=f%26%C3%A4&g=one%0D%0Atwo%0A"),
        Case(
            arguments: ["-G", "--data-urlencode", "q=a b"], method: "GET", body: "", target: "/echo?q=a+b", type: nil),
        Case(
            arguments: ["--json", "{\"a\":", "--json", "1}"], method: "POST", body: "{\"a\":1}",
            type: "application/json"),
        Case(arguments: ["-XDELETE"], method: "DELETE", body: "", type: nil),
        Case(arguments: ["-d", "x", "-H", "Content-Type: text/plain"], method: "POST", body: "x", type: "text/plain"),
        Case(arguments: ["-d", "x", "-H", "Content-Type:"], method: "POST", body: "x", type: nil),
        Case(arguments: ["-G", "-d", "a=1", "-d", "b=2"], method: "GET", body: "", target: "/echo?a=1&b=2", type: nil),
        Case(arguments: ["-T", "lines"], method: "PUT", body: "one\r\ntwo\n", type: nil),
        Case(
            arguments: ["-T", "lines"], method: "PUT", body: "one\r\ntwo\n", path: "/echo/", target: "/echo/lines",
            type: nil),
        Case(
            arguments: ["-T", "lines"], method: "PUT", body: "one\r\ntwo\n", path: "/echo/?sig=a%2Fb",
            target: "/echo/lines?sig=a%2Fb", type: nil),
        Case(arguments: ["-T", "-"], input: "streamed", method: "PUT", body: "streamed", type: nil),
        Case(arguments: ["-I"], method: "HEAD", body: "", type: nil),
    ]

    @Test(arguments: cases) func sends(_ example: Case) async throws {
        try sandbox.write("one\r\ntwo\n", to: "lines")
        let outcome = try await sandbox.httpc(
            example.arguments + [landscape.urlString(.main, example.path)], input: example.input)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let request = try #require(landscape.requests().last)
        #expect(request.method == example.method)
        #expect(request.target == example.target)
        #expect(request.values(of: "Content-Type").first == example.type)
        #expect(request.bodyLength == example.body.utf8.count)
        if example.method != "HEAD" {
            let direct = try await sandbox.httpc(
                "--data-raw", example.body, landscape.urlString(.main, "/upload"))
            let hash = try #require(Self.hash(in: direct.text))
            #expect(outcome.text.contains(hash))
        }
    }

    private static func hash(in json: String) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return object?["sha256"] as? String
    }

    /// A one-shot body that was read is never sent again (docs/architecture.md, rule 12), on the command line.
    /// The server reads the whole body before it refuses. Only a password for Basic can be sent ahead.
    @Test(arguments: [("basic", true), ("digest", false)])
    func oneShotUploadIsNotRepeatedAfterItWasRead(scheme: String, canGoAhead: Bool) async throws {
        let url = landscape.urlString(.main, "/upload/reject?then=read&scheme=\(scheme)")
        let outcome = try await sandbox.httpc(["-u", "alice:wonderland", "-T", "-", url], input: "once")
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains("(65)") && outcome.errors.contains("-T FILE"), "\(outcome.errors)")
        #expect(outcome.errors.contains("--basic") == canGoAhead, "\(outcome.errors)")
        #expect(landscape.requests(path: "/upload/reject").count == 1)
    }

    @Test func fileUploadThroughLoginAndRedirectArrivesWhole() async throws {
        let text = String(repeating: "0123456789", count: 200_000)
        try sandbox.write(text, to: "big")
        let outcome = try await sandbox.httpc(
            "--cacert", try sandbox.authority(of: landscape), "-u", "alice:wonderland", "--location-trusted", "-T",
            "big", "-H", "X-API-Key: canary-key", "-H", "Cookie: canary=cookie",
            landscape.urlString(.main, "/redirect/to/secure?path=/upload/basic&status=307"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\(text.utf8.count)"))
        let arrived = landscape.requests(path: "/upload/basic", origin: .secure)
        #expect(arrived.last?.bodyLength == text.utf8.count)
        #expect(arrived.allSatisfy { $0.values(of: "X-API-Key").isEmpty && $0.values(of: "Cookie").isEmpty })
    }
}
