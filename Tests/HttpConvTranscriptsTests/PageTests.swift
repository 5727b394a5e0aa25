import Foundation
import HttpC
import HttpConvTranscripts
import TestLandscape
import Testing

/// The page with sequence diagrams.
@Suite(.timeLimit(.minutes(1))) struct PageTests {
    /// The only permitted elements of a page, whatever servers send.
    static let elements: Set<String> = [
        "b", "body", "details", "div", "footer", "h1", "head", "header", "html", "i", "meta", "p", "section", "small",
        "span", "style", "summary", "table", "td", "th", "time", "title", "tr",
    ]
    static let attributes: Set<String> = ["charset", "class", "content", "http-equiv", "lang", "name", "style"]

    @Test(arguments: TranscriptBench.Login.allCases)
    func aLoginIsADiagram(_ login: TranscriptBench.Login) async throws {
        try await withLandscape { landscape in
            let bench = try login.bench(landscape)
            try await bench.get(login.rawValue)
            let html = bench.transcript.html(creator: "tests")
            let page = PageElements(html)
            #expect(page.names.subtracting(Self.elements) == [] && page.attributes.subtracting(Self.attributes) == [])
            #expect(html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;;"))
            for request in landscape.requests() { #expect(page.text.contains("\(request.method) \(request.path)")) }
            if login == .saml2 {
                #expect(page.text.contains("\(landscape.identityProvider())identity provider"))
                #expect(page.text.contains("SAML2 login at \(landscape.urlString())".dropLast()))
                #expect(page.text.contains("Login succeeded"))
            }
            if login == .oauth2 { #expect(page.text.contains("server, login pages, token server")) }
            if login == .digest { #expect(page.text.contains("Answers digest")) }
        }
    }

    @Test(arguments: TranscriptBench.Login.allCases)
    func secretsAreInNeither(_ login: TranscriptBench.Login) async throws {
        try await withLandscape { landscape in
            let bench = try login.bench(landscape)
            try await bench.get(login.rawValue)
            #expect(bench.secrets.count > 1)
            for text in [bench.transcript.html(), bench.transcript.har()] {
                for secret in bench.secrets { #expect(!text.contains(secret), "\(secret)") }
            }
        }
    }

    /// Markup in each value that comes from a server or a caller must stay text.
    static let markup =
        "</b></summary><script>alert(1)</script><img/src=x/onerror=alert(2)><style>*{}</style>\"'onclick=x&lt;"

    @Test func textOfServersIsEscaped() async throws {
        try await withLandscape { landscape in
            let bench = try TranscriptBench(landscape, .password("alice", "wonderland", for: landscape.urlString(.raw)))
            let quoted = Self.markup.replacing("\"", with: "\\\"")
            landscape.raw.respond(
                path: "/hostile",
                text: "HTTP/1.1 401 \(Self.markup)\r\nWWW-Authenticate: Basic realm=\"\(quoted)\"\r\n"
                    + "Server: \(Self.markup)\r\nSet-Cookie: \(Self.markup)=1\r\nContent-Length: 0\r\n\r\n")
            _ = try? await bench.get("/hostile?\(Self.percent)", .raw)
            landscape.raw.respond(
                path: "/moved",
                text: "HTTP/1.1 302 x\r\nLocation: http://<script>.example/\r\nContent-Length: 0\r\n\r\n")
            _ = try? await bench.get("/moved", .raw)
            let html = bench.transcript.html(creator: Self.markup)
            let page = PageElements(html)
            #expect(page.names.subtracting(Self.elements) == [], "\(page.names.subtracting(Self.elements))")
            #expect(page.attributes.subtracting(Self.attributes) == [])
            #expect(page.text.contains("<script>alert(1)</script>"))
            #expect(page.isWhole)
            #expect(landscape.count(path: "/hostile") > 0)
        }
    }

    private static let percent = String(
        decoding: markup.utf8.flatMap {
            Array("%\(String($0, radix: 16).count == 1 ? "0" : "")\(String($0, radix: 16))".utf8)
        },
        as: UTF8.self)

    /// Combining marks and control characters, which an escaper of whole characters would miss.
    @Test(arguments: [
        "<\u{301}script>", "\u{202E}<b>", "\u{1b}[31m", "<\u{fe0f}i>", "&\u{20dd}lt;", "\"\u{301}onclick",
    ])
    func scalarsAreEscaped(_ text: String) throws {
        var transcript = try Self.recorded()
        transcript = try Self.edit(transcript) { $0.replacing("\"CHANGE\"", with: try Self.json(text)) }
        let html = transcript.html()
        #expect(!html.unicodeScalars.contains("\u{202E}") && !html.unicodeScalars.contains("\u{1b}"))
        let page = PageElements(html)
        #expect(page.names.subtracting(Self.elements) == [] && page.attributes.subtracting(Self.attributes) == [])
    }

    /// A decoded transcript may contain anything.
    @Test func oddTranscriptsEnd() throws {
        let odd = try Self.edit(Self.recorded()) { text in
            text.replacing("\"parent\":\"b\"", with: "\"parent\":\"a\"")
                .replacing("\"date\":0", with: "\"date\":1e300")
        }
        #expect(odd.html().contains("</html>"))
        #expect(odd.har().isEmpty == false)
    }

    @Test func manyServersShareAColumn() throws {
        let one =
            "{\"conversation\":\"a\",\"kind\":\"exchangeStarted\",\"microseconds\":1,\"date\":0,\"fields\":[],\"details\":{},"
        let entries = (0..<500).map {
            one + "\"method\":\"GET\",\"url\":\"http://h\($0)/\",\"origin\":\"http://h\($0)\"}"
        }
        let text = "{\"isCut\":true,\"entries\":[\(entries.joined(separator: ","))]}"
        let html = try JSONDecoder().decode(Transcript.self, from: Data(text.utf8)).html()
        #expect(html.contains("other servers") && html.contains("500 servers"))
        #expect(html.contains("--lanes:13;"))
        #expect(html.contains("beginning was dropped"))
        #expect(html.utf8.count < 500_000)
    }

    private static func recorded() throws -> Transcript {
        let text = """
            {"isCut":false,"entries":[
            {"conversation":"a","parent":"b","kind":"conversationStarted","microseconds":0,"date":0,"method":"GET",\
            "url":"CHANGE","origin":"CHANGE","fields":[{"name":"CHANGE","value":"CHANGE"}],"details":{"x":"CHANGE"}},
            {"conversation":"b","parent":"a","kind":"CHANGE","microseconds":0,"date":0,"fields":[],"details":{"x":"CHANGE"}}]}
            """
        return try JSONDecoder().decode(Transcript.self, from: Data(text.utf8))
    }

    private static func edit(_ transcript: Transcript, _ change: (String) throws -> String) throws -> Transcript {
        let text = String(decoding: try JSONEncoder().encode(transcript), as: UTF8.self)
        return try JSONDecoder().decode(Transcript.self, from: Data(try change(text).utf8))
    }

    private static func json(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}
