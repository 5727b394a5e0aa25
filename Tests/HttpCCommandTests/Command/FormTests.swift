import Foundation
import LandscapeSupport
import Testing

/// -F and --form-string, as the server gets them.
@Suite(.landscape, .timeLimit(.minutes(1))) struct FormTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    @Test func fieldsAndFiles() async throws {
        try sandbox.write("hello", to: "a.txt")
        try sandbox.write("%PDF", to: "b,c;\"d.pdf")
        let outcome = try await sandbox.httpc(
            "-F", "title=Ürlaub", "-F", "q=\"a;b\";type=text/x-note", "-F", "up=@a.txt",
            "-F", "more=@\"b,c;\\\"d.pdf\";filename=\"x\r\ny\".pdf", landscape.urlString(.main, "/echo"))
        // A value must end at its closing quote.
        #expect(outcome.status == 2 && landscape.requests().isEmpty)
        let sent = try await sandbox.httpc(
            "-F", "title=Ürlaub", "-F", "q=\"a;b\";type=text/x-note", "-F", "up=@a.txt,a.txt;type=image/png; x=y",
            "-F", "more=@\"b,c;\\\"d.pdf\";filename=\"x\r\ny\"", "-F", "text=<a.txt", "--form-string", "raw=@a;b",
            landscape.urlString(.main, "/echo"))
        #expect(sent.status == 0, "\(sent.errors)")
        let echo = try #require(try JSONSerialization.jsonObject(with: sent.output) as? [String: Any])
        let request = try #require(landscape.requests().last)
        let type = try #require(request.values(of: "Content-Type").first)
        let boundary = try #require(type.split(separator: "boundary=").last)
        let disposition = "Content-Disposition: form-data; name="
        let parts = [
            "\(disposition)\"title\"\r\n\r\nÜrlaub", "\(disposition)\"q\"\r\nContent-Type: text/x-note\r\n\r\na;b",
            "\(disposition)\"up\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhello",
            "\(disposition)\"up\"; filename=\"a.txt\"\r\nContent-Type: image/png; x=y\r\n\r\nhello",
            "\(disposition)\"more\"; filename=\"x%0D%0Ay\"\r\nContent-Type: application/octet-stream\r\n\r\n%PDF",
            "\(disposition)\"text\"\r\n\r\nhello", "\(disposition)\"raw\"\r\n\r\n@a;b",
        ]
        let expected = parts.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n"
        #expect(echo["text"] as? String == expected)
        #expect(request.method == "POST")
        #expect(request.values(of: "Content-Length") == ["\(expected.utf8.count)"])
    }

    /// A media type from -H gets the boundary of the body, as with curl.
    @Test(arguments: ["multipart/form-data", "multipart/mixed; a=b"]) func aTypeOfOnesOwn(type: String) async throws {
        let url = landscape.urlString(.main, "/echo")
        let outcome = try await sandbox.httpc("-F", "a=b", "-H", "Content-Type: \(type)", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let echo = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        let sent = try #require(landscape.requests().last?.values(of: "Content-Type").first)
        let boundary = try #require(sent.components(separatedBy: "; boundary=").last)
        #expect(sent == "\(type); boundary=\(boundary)")
        #expect((echo["text"] as? String)?.hasPrefix("--\(boundary)\r\n") == true)
        let other = try await sandbox.httpc("-F", "a=b", "-H", "Content-Type: \(type); boundary=x", url)
        #expect(other.status == 2 && other.errors.contains("-F chooses the boundary"), "\(other.errors)")
        #expect(landscape.requests().count == 1)
    }

    /// The form is sent again for the login. With standard input in it, that is impossible.
    @Test func aFormGoesThroughALogin() async throws {
        try sandbox.write("hello", to: "a.txt")
        // This server reads the body before it answers.
        let url = landscape.urlString(.main, "/upload/basic")
        let outcome = try await sandbox.httpc("-f", "-u", "alice:wonderland", "-F", "a=@a.txt", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(landscape.requests().map(\.status) == [401, 200])
        #expect((landscape.requests().last?.bodyLength ?? 0) > 100)
        let missing = try await sandbox.httpc("-F", "a=@none", url)
        #expect(missing.status == 26)
        #expect(landscape.requests().count == 2)
    }
}
