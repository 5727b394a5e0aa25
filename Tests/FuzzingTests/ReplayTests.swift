import Foundation
import Testing

@testable import HttpConversation

/// Runs each target over its corpus without a fuzzer, so that fixed findings stay fixed.
@Suite("Fuzz targets over their corpora", .timeLimit(.minutes(5)))
struct ReplayTests {
    @Test("An input is taken or refused, whole and cut short", arguments: FuzzTarget.all.map(\.name))
    func replay(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Self.inputs(of: name)
        #expect(!inputs.isEmpty, "\(name) has no corpus")
        for (file, bytes) in inputs {
            #expect(bytes.count <= FuzzTarget.maximumBytes, "\(file) is larger than what scripts/fuzz makes")
            for count in Self.cuts(of: bytes.count) {
                do { try target.run(Array(bytes.prefix(count))) } catch {
                    Issue.record("\(name)/\(file), first \(count) bytes: \(error)")
                }
            }
        }
    }

    @Test("Each folder is the corpus of a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path(percentEncoded: false))
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
        #expect(Set(folders).count == FuzzTarget.all.count)
    }

    @Test("The corpora are small enough for a repository")
    func corporaStaySmall() throws {
        var total = 0
        for target in FuzzTarget.all { total += try Self.inputs(of: target.name).reduce(0) { $0 + $1.bytes.count } }
        #expect(total < 1 << 20)
    }

    @Test("An unfinished line keeps nothing but itself", arguments: [1, 2])
    func anUnfinishedLineIsBounded(chunks: Int) throws {
        let request = try TransportRequest(
            target: TargetURL("http://server.example/"), method: .get, headerFields: [:], body: nil,
            options: TransportOptions())
        let chunk = "1f40\r\n" + String(repeating: "x", count: 8000) + "\r\n"
        // Each piece ends in the line of a chunk.
        let start = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1f4".utf8)
        let rest = Array((String(repeating: chunk, count: 1000).dropFirst(3) + "0\r\n\r\n").utf8)
        let pipeline = Pipeline(isHTTP2: false)
        let endings = try pipeline.run([request], [start] + rest.pieces(of: chunk.utf8.count * chunks))
        guard case .response(200, _, let body, nil) = endings.first else {
            Issue.record("\(endings)")
            return
        }
        #expect(body.count == 8_000_000)
        #expect((1...64 << 10).contains(pipeline.memoryOfLine))
    }

    @Test("The checks of properties can fail")
    func brokenPropertiesFail() {
        #expect(throws: BrokenProperty.self) { try require(false, "it holds") }
        #expect(throws: BrokenProperty.self) { try requireEqual(1, 2, "they are equal") }
        #expect(throws: BrokenProperty.self) {
            try outcome(within: .milliseconds(10)) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpora")

    private static func inputs(of target: String) throws -> [(file: String, bytes: [UInt8])] {
        let folder = corpora.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
            .map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
    }

    /// The whole length, and a few shorter ones.
    private static func cuts(of count: Int) -> [Int] {
        [count] + stride(from: 0, to: count, by: max(1, count / 8))
    }
}
