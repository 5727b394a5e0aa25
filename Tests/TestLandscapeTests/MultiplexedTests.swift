import Foundation
import LandscapeSupport
import Testing

/// Requests of curl to the origin that speaks HTTP/2.
@Suite(.landscape, .timeLimit(.minutes(1))) struct MultiplexedTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func curl(
        _ path: String, _ options: String..., in landscape: Landscape
    ) async throws -> Curl {
        let authority = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: authority.url)
        let write = ["-w", " %{http_version} %{http_code}", "--max-time", "20", "--cacert", authority.path]
        return try await Curl.run(write + options + [landscape.urlString(.multiplexed, path)])
    }

    @Test func speaksHTTP1AndHTTP2() async throws {
        let new = try await Self.curl("/", "--http2", in: landscape)
        #expect(new.text == "hello over HTTP/2\n 2 200", "\(new.errors)")
        let old = try await Self.curl("/", "--http1.1", in: landscape)
        #expect(old.text == "hello over HTTP/1.1\n 1.1 200", "\(old.errors)")
        let unknown = try await Self.curl("/elsewhere", in: landscape)
        #expect(unknown.text.hasSuffix(" 2 404"))
        let posted = try await Self.curl("/", "-d", String(repeating: "b", count: 100_000), in: landscape)
        #expect(posted.text.hasSuffix(" 2 200"), "\(posted.errors)")
        #expect(landscape.requests(path: "/", origin: .multiplexed).map(\.status) == [200, 200, 200])
    }

    /// The exit codes of curl for faults that it does not retry; `nil`: it gets its answer.
    @Test(arguments: [
        (StreamFault.lastAnswer, [0]), (.misdirected, [0]), (.reset, [18, 92]), (.calm, [92]), (.http1, [0, 92]),
        (.cut, [18, 56, 92]), (.refused, [0, 92]), (.goAway, [0, 16, 56, 92]), (.pings, [0, 16, 56, 92]),
    ])
    func faultEndsOneRequest(fault: StreamFault, codes: [Int32]) async throws {
        let answer = try await Self.curl("/fault/\(fault.rawValue)", in: landscape)
        #expect(codes.contains(answer.exitCode), "\(answer.exitCode): \(answer.text) \(answer.errors)")
        #expect(landscape.count(path: "/fault/\(fault.rawValue)") > 0)
        let after = try await Self.curl("/", in: landscape)
        #expect(after.text == "hello over HTTP/2\n 2 200")
    }

    @Test func stallsDownloadsAndUploads() async throws {
        let body = try await Self.curl("/fault/stall", "--max-time", "1", in: landscape)
        #expect(body.exitCode == 28)
        #expect(body.text.hasPrefix("hello ove"))
        let large = try TemporaryFile("large", contents: Data(repeating: 1, count: 1 << 20))
        let upload = try await Self.curl(
            "/fault/window", "--max-time", "1", "--data-binary", "@\(large.path)", in: landscape)
        #expect(upload.exitCode == 28)
    }
}
