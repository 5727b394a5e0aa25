import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Interrupted and resumed downloads, behind a login.
    @Suite(.serialized) struct Downloads {
        private static let bytes = (0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ ($0 >> 7)) }

        @Test("A download that is cut three times is whole", arguments: [ServerKind.apache, .nginx], Client.allCases)
        func cutThrice(_ kind: ServerKind, _ client: Client) async throws {
            let (server, name) = try await Self.resource(on: kind, Self.bytes)
            let request = try HTTPRequest(.get, server.url("/basic-dav/\(name)"))
            let file = try await RealServers.shared.directory().file("download")
            var token: DownloadToken?
            for _ in 1...3 {
                let manager = try await Library.manager(TestUsers.alice)
                let download =
                    if let token { try manager.startDownload(request, resuming: token) } else {
                        try manager.startDownload(request, to: file)
                    }
                let goal = (token?.length ?? 0) + Int.random(in: 1..<1 << 20)
                for await progress in download.progress where progress.received >= goal { break }
                let left = try #require(await download.cancel())
                #expect(left.length >= goal && left.length < Self.bytes.count)
                #expect(token.map { $0.partialFile == left.partialFile } ?? true)
                token = left
            }
            let last = try #require(token)
            switch client {
            case .library:
                let manager = try await Library.manager(TestUsers.alice)
                let complete = try await manager.startDownload(request, resuming: last).value
                #expect(complete.resumedAt == last.length && complete.startedOver == nil)
            case .httpc:
                let outcome = try await Program.httpc(
                    ["-sS", "-u", "\(TestUsers.alice.name):\(TestUsers.alice.password)", "-C", "-", "-o", file.path]
                        + ["-w", "%{http_code} %{size_download}", server.url("/basic-dav/\(name)")])
                #expect(
                    outcome.status == 0 && outcome.text == "206 \(Self.bytes.count - last.length)", "\(outcome.errors)")
            }
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(!FileManager.default.fileExists(atPath: last.partialFile.path))
        }

        @Test("A changed resource starts over", arguments: [ServerKind.apache, .nginx], Client.allCases)
        func changed(_ kind: ServerKind, _ client: Client) async throws {
            let (server, name) = try await Self.resource(on: kind, Self.bytes)
            let url = server.url("/dav/\(name)")
            let file = try await RealServers.shared.directory().file("download")
            let manager = try await Library.manager()
            let download = try manager.startDownload(HTTPRequest(.get, url), to: file)
            for await _ in download.progress { break }
            let token = try #require(await download.cancel())
            let other = [UInt8](Self.bytes.reversed())
            try Self.put(other, server, name, age: 5000)
            switch client {
            case .library:
                let complete = try await manager.startDownload(HTTPRequest(.get, url), resuming: token).value
                #expect(complete.startedOver == .changed && complete.response.status == .ok)
            case .httpc:
                let outcome = try await Program.httpc(["-C", "-", "-o", file.path, url])
                #expect(outcome.status == 0 && outcome.errors.contains("starts over: the resource has changed"))
            }
            #expect(try Data(contentsOf: file) == Data(other))
        }

        @Test("A part has the requested bytes", arguments: [ServerKind.apache, .nginx])
        func parts(_ kind: ServerKind) async throws {
            let (server, name) = try await Self.resource(on: kind, Array("0123456789".utf8))
            for (range, text) in [("2-4", "234"), ("7-", "789"), ("-2", "89"), ("8-99", "89")] {
                let outcome = try await Program.httpc(["-sS", "-r", range, server.url("/dav/\(name)")])
                #expect(outcome.status == 0 && outcome.text == text, "\(range): \(outcome.errors)")
            }
            let several = try await Program.httpc(["-sS", "-r", "0-1,5-6", server.url("/dav/\(name)")])
            #expect(several.status == 0 && several.text.lowercased().contains("content-range: bytes 5-6/10"))
            let beyond = try await Program.httpc(["-sS", "-f", "-r", "20-", server.url("/dav/\(name)")])
            #expect(beyond.status == 22 && beyond.text.isEmpty)
        }

        /// Makes the file old, because Apache's ETag of a file from the last second is weak.
        private static func resource(on kind: ServerKind, _ bytes: [UInt8]) async throws -> (RealServer, String) {
            let server = try await RealServers.shared.server(kind)
            let name = "range-\(UInt64.random(in: 0...UInt64.max))"
            try put(bytes, server, name, age: 10_000)
            return (server, name)
        }

        private static func put(_ bytes: [UInt8], _ server: RealServer, _ name: String, age: Double) throws {
            let file = server.directory.appending(path: "dav/\(name)")
            try Data(bytes).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644, .modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path
            )
        }
    }
}
