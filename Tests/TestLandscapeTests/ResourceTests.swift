import Crypto
import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct ResourceTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: [0, 1, 65_521, 65_522, 1_000_000])
    func sendsKnownBytes(count: Int) async throws {
        let expected = BytePattern.bytes(count: count)
        #expect(
            BytePattern.sha256(count: count)
                == SHA256.hash(data: expected).map { String(format: "%02x", $0) }.joined())
        for path in ["/bytes/\(count)", "/stream/\(count)?chunk=1000", "/gzip?n=\(count)", "/deflate?n=\(count)"] {
            let answer = try await Curl.run("--compressed", landscape.urlString(.main, path))
            #expect(answer.exitCode == 0, "\(answer.errors)")
            #expect(answer.output.elementsEqual(expected), "\(path)")
        }
    }

    @Test func decompressionBombExpands() async throws {
        let url = landscape.urlString(.main, "/gzip/bomb/1000007")
        let plain = try await Curl.run("--compressed", url)
        #expect(plain.exitCode == 0, "\(plain.errors)")
        #expect(plain.output.count == 1_000_007)
        #expect(plain.output.allSatisfy { $0 == 0 })
        #expect(try await Curl.run(url).output.count < 10_000)
    }

    @Test(arguments: [200, 204, 304, 404, 418, 503])
    func answersStatuses(code: Int) async throws {
        let answer = try await Curl.run(
            "-w", "|%{http_code}", landscape.urlString(.main, "/status/\(code)?body=text"))
        #expect(answer.text == (code == 204 || code == 304 ? "" : "text") + "|\(code)")
    }

    @Test func answersHead() async throws {
        for path in ["/json", "/head-only/12345", "/basic/escapes/x", "/redirect/301?to=/json", "/stream/10"] {
            let answer = try await Curl.run("--head", landscape.urlString(.main, path))
            #expect(answer.exitCode == 0, "\(answer.errors)")
            #expect(answer.text.hasSuffix("\r\n\r\n"))
        }
        #expect(try await Curl.run("--head", landscape.urlString(.main, "/head-only/12345")).text.contains("12345"))
        #expect(try await Curl.status(landscape.urlString(.main, "/head-only/1")) == 405)
    }

    @Test func ticksUntilTheCountIsReached() async throws {
        let answer = try await Curl.run(landscape.urlString(.main, "/ticks?every=1&count=3"))
        #expect(answer.text.matches(of: /data: tick/).count == 3)
        let endless = try await Curl.run("-N", "--max-time", "2", landscape.urlString(.main, "/ticks?every=1"))
        #expect(endless.exitCode == 28)
        #expect(endless.text.contains("tick 0"))
    }

    @Test(arguments: [[], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]])
    func takesUploads(options: [String]) async throws {
        let data = Data(BytePattern.bytes(count: 3_000_000))
        let file = try TemporaryFile("upload", contents: data)
        for (path, credentials) in [("/upload", []), ("/upload/basic", ["-u", "alice:wonderland"])] {
            let answer = try await Curl.run(
                options + credentials + ["-T", file.path, landscape.urlString(.secure, path), "-k"])
            #expect(
                try answer.json()["sha256"] as? String == BytePattern.sha256(count: 3_000_000),
                "\(answer.text) \(answer.errors)")
            #expect(try answer.json()["length"] as? Int == 3_000_000)
            #expect(landscape.requests(path: path).last?.bodyLength == 3_000_000)
        }
    }

    @Test(arguments: [("/upload", true), ("/upload/reject", false)])
    func answersExpectBeforeReading(path: String, continues: Bool) async throws {
        let file = try TemporaryFile("upload", contents: Data(count: 1000))
        let options = ["-i", "-H", "Expect: 100-continue", "-T", file.path]
        let answer = try await Curl.run(options + [landscape.urlString(.main, path)])
        #expect(answer.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200") == continues)
        #expect(answer.text.hasPrefix("HTTP/1.1 401") == !continues)
    }

    @Test(arguments: ["drain", "close"])
    func rejectsUploadsBeforeReadingThem(then: String) async throws {
        let file = try TemporaryFile("upload", contents: Data(count: 200_000))
        let url = landscape.urlString(.main, "/upload/reject?then=\(then)")
        #expect(try await Curl.status("-H", "Expect:", "-T", file.path, url) == 401)
        #expect(try await Curl.status("-T", file.path, landscape.urlString(.main, "/upload/413?after=1000")) == 413)
    }
}
