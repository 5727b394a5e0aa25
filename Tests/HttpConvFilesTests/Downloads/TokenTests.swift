import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

/// A token and its files are checked before anything is sent.
@Suite(.timeLimit(.minutes(1))) struct TokenTests {
    private let bench: ResumeBench

    init() throws { bench = try ResumeBench() }

    @Test func itIsCodableAndHasNoSecret() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        let json = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(DownloadToken.self, from: json) == token)
        let record = try bench.files.text("out.resume")
        for text in [String(decoding: json, as: UTF8.self), record, "\(token)"] {
            #expect(text.contains("example.com") && !text.contains("canary"))
        }
        #expect(try bench.files.mode("out.resume") == 0o600)
        #expect(token.resource == "https://example.com/big.iso" && token.total == 100_000 && token.length == 40_000)
    }

    /// The state after a process was killed: only the files are left.
    @Test func itIsFoundBesideTheFile() async throws {
        #expect(try await DownloadToken.find(for: bench.out) == nil)
        // An empty file has nothing that could be of another resource.
        try Data().write(to: bench.out)
        #expect(try await DownloadToken.find(for: bench.out) == nil)
        let token = try await bench.cut(after: 40_000)
        let found = try #require(try await DownloadToken.find(for: bench.out))
        #expect(found == token)
        #expect(try await bench.resume(found).resumedAt == 40_000)
        #expect(await failureCode { try await DownloadToken.find(for: bench.out) } == .notResumable)
    }

    @Test(arguments: [
        "https://example.com/big.iso", "https://example.com/big.iso?key=other", "https://example.com/small.iso",
        "https://example.org/big.iso?key=canary-7f3a", "http://example.com/big.iso?key=canary-7f3a",
    ]) func anotherResource(url: String) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        let names = bench.files.names
        let download = try bench.manager.startDownload(bench.request(url), resuming: token)
        #expect(await download.result.code == .notResumable)
        #expect(bench.ranges == ["-"])
        #expect(bench.files.names == names)
    }

    private static let presigned = "https://example.com/big.iso?X-Amz-Date=1&id=7&X-Amz-Signature=a1&X-Amz-Expires=60"

    /// A URL with a new signature names the same resource.
    @Test(arguments: [
        (presigned, "https://example.com/big.iso?X-Amz-Date=2&id=7&X-Amz-Signature=b2&X-Amz-Expires=90"),
        (presigned, "https://example.com/big.iso?id=7&X-Amz-Signature=c3"),
        ("https://example.com/big.iso?sv=1&se=2&sig=x", "https://example.com/big.iso?sv=1&se=9&sig=y"),
        (
            "https://example.com/big.iso?Expires=1&Signature=x&Key-Pair-Id=k",
            "https://example.com/big.iso?Expires=2&Signature=y&Key-Pair-Id=k"
        ),
    ]) func aURLThatIsSignedAnew(first: String, second: String) async throws {
        bench.server.change { $0.cuts = [40_000] }
        let begun = try bench.manager.startDownload(bench.request(first), to: bench.out)
        _ = await begun.result
        let token = try #require(await begun.token)
        let complete = try await bench.manager.startDownload(bench.request(second), resuming: token).value
        #expect(complete.resumedAt == 40_000 && complete.startedOver == nil)
        #expect(bench.ranges == ["-", "bytes=40000-"])
        #expect(try bench.written() == ResumeBench.bytes && bench.files.names == ["out"])
    }

    /// The validator decides whether the resource is the same.
    @Test func aURLThatIsSignedAnewForSomethingElse() async throws {
        bench.server.change { $0.cuts = [40_000] }
        let begun = try bench.manager.startDownload(bench.request(Self.presigned), to: bench.out)
        _ = await begun.result
        let token = try #require(await begun.token)
        bench.server.change { state in
            state.tag = "\"v2\""
            state.bytes = ResumeBench.other
        }
        let second = try bench.request("https://example.com/big.iso?id=7&X-Amz-Signature=b2")
        let complete = try await bench.manager.startDownload(second, resuming: token).value
        #expect(complete.resumedAt == 0 && complete.startedOver == .changed)
        #expect(try bench.written() == ResumeBench.other)
    }

    /// The parameters that name the resource must not differ. The message names the files to remove.
    @Test(arguments: [
        "https://example.com/big.iso?X-Amz-Date=1&id=8&X-Amz-Signature=a1&X-Amz-Expires=60",
        "https://example.com/big.iso?X-Amz-Date=1&X-Amz-Signature=a1", "https://example.com/big.iso?id=7",
        "https://example.com/big.iso", "https://example.com/other.iso?id=7&X-Amz-Signature=b2",
        "https://example.org/big.iso?id=7&X-Amz-Signature=b2",
    ]) func aURLThatNamesSomethingElse(url: String) async throws {
        bench.server.change { $0.cuts = [40_000] }
        let begun = try bench.manager.startDownload(bench.request(Self.presigned), to: bench.out)
        _ = await begun.result
        let token = try #require(await begun.token)
        let result = await (try bench.manager.startDownload(bench.request(url), resuming: token)).result
        guard case .failure(let error) = result else { throw ConversationError(.internalInconsistency, "it went on") }
        #expect(error.code == .notResumable && bench.ranges == ["-"])
        for file in [token.partialFile, bench.files.url("out.resume")] {
            #expect(error.message.contains("\"\(file.path)\""), "\(error.message)")
        }
        #expect(!error.message.contains("Signature") && !error.message.contains("id="))
    }

    /// The response to another method than GET is another representation.
    @Test func anotherMethod() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        var request = try bench.request()
        request.method = .post
        let download = try bench.manager.startDownload(request, resuming: token)
        #expect(await download.result.code == .notResumable)
        #expect(bench.ranges == ["-"])
    }

    enum Damage: String, CaseIterable {
        case longer, shorter, missing, link, secondName, writable, pipe
    }

    @Test(arguments: Damage.allCases) func aDamagedPartialFile(damage: Damage) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        let file = token.partialFile
        let victim = try bench.files.make("victim", String(repeating: "x", count: 40_000), mode: 0o600)
        switch damage {
        case .longer, .shorter:
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: damage == .longer ? 40_001 : 39_999)
        case .missing: try FileManager.default.removeItem(at: file)
        case .link:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: victim)
        case .secondName: try FileManager.default.linkItem(at: file, to: bench.files.url("second"))
        case .writable: try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path)
        case .pipe:
            try FileManager.default.removeItem(at: file)
            try #require(mkfifo(file.path, 0o600) == 0)
        }
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        #expect(await download.result.code == .notResumable)
        #expect(bench.ranges == ["-"])
        #expect(!bench.files.names.contains("out"))
        #expect(try bench.files.text("victim").allSatisfy { $0 == "x" })
    }

    @Test(arguments: [
        #""part":"\#u{41}.x.part""#, #""part":"..\/out.x.part""#, #""total":0"#, #""total":-1"#,
        #""total":9223372036854775808"#, #""length":9223372036854775808"#, #""length":-1"#, #""length":100001"#,
        #""length":0"#,
        #""entityTag":"W\/\"v1\"""#,
        #""entityTag":"\"v1\"\r\nX: y""#, #""format":"something""#,
    ]) func aDamagedToken(part: String) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        let text = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
        let key = try #require(part.split(separator: ":").first)
        let found = try #require(text.range(of: "\(key):(\"(\\\\.|[^\"\\\\])*\"|[0-9]+)", options: .regularExpression))
        let damaged = text.replacingCharacters(in: found, with: part)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DownloadToken.self, from: Data(damaged.utf8))
        }
    }

    @Test(arguments: ["{}", "", "not ours"]) func anotherFileOfThatNameStays(text: String) async throws {
        _ = try bench.files.make("out.resume", text)
        let download = try bench.manager.startDownload(bench.request(), to: bench.out)
        #expect(await download.result.code == .notResumable)
        #expect(try bench.files.text("out.resume") == text)
        #expect(bench.files.names == ["out.resume"])
    }

    /// An attacker who could write the record could choose the bytes that are continued.
    @Test func aRecordThatOthersMayWriteIsNotBelieved() async throws {
        _ = try await bench.cut(after: 40_000)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: bench.files.url("out.resume").path)
        #expect(await failureCode { try await DownloadToken.find(for: bench.out) } == .notResumable)
    }
}
