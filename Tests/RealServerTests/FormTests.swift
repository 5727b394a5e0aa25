import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Our forms as read by independent parsers: Python's standard library behind Apache, and Django.
    @Suite(.serialized) struct Forms {
        struct Found: Decodable, Equatable {
            var name: String
            var text: String?
            var filename: String?
            var type: String?
            var length: Int?
            var sha256: String?
        }

        private static let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 29 ^ ($0 >> 9)) }

        /// A form of text and a large file, sent by either client.
        private func send(to url: String, _ file: URL, by client: Client, as user: TestUsers.User?) async throws
            -> String
        {
            switch client {
            case .library:
                let form = RequestBody.multipart([
                    try .field("title", "Żółw & \"co\""), try .file("file", file, contentType: "image/png"),
                    try .file("odd\"name\r\n", .bytes([1, 2, 3]), filename: "a\"b\r\nc.txt"),
                ])
                return try await Library.manager(user).post(url, form).text
            case .httpc:
                var arguments = [
                    "-sSf", "-F", "title=\"Żółw & \\\"co\\\"\"", "-F", "file=@\(file.path);type=image/png",
                ]
                let small = file.deletingLastPathComponent().appending(path: "small")
                try Data([1, 2, 3]).write(to: small)
                arguments += [
                    "-F", "odd\"name\r\n=@\(small.path);type=application/octet-stream;filename=\"a\\\"b\r\nc.txt\"",
                ]
                if let user { arguments += ["-u", "\(user.name):\(user.password)"] }
                let outcome = try await Program.httpc(arguments + [url])
                #expect(outcome.status == 0, "\(outcome.errors)")
                return outcome.text
            }
        }

        private func decoded(_ text: String) throws -> [Found] {
            try JSONDecoder().decode([Found].self, from: Data(text.utf8))
        }

        @Test("Python's parser behind Apache, through a 401", arguments: ["/form/", "/basic-form/"], Client.allCases)
        func apache(_ folder: String, _ client: Client) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let file = try await RealServers.shared.directory().file("form-file", Self.bytes)
            let user = folder == "/form/" ? nil : TestUsers.alice
            let parts = try decoded(await send(to: apache.url("\(folder)x"), file, by: client, as: user))
            try #require(parts.count == 3)
            #expect(parts.map(\.name) == ["title", "file", "odd%22name%0D%0A"])
            #expect(parts.map(\.filename) == ["", file.lastPathComponent, "a%22b%0D%0Ac.txt"])
            #expect(parts.map(\.type) == ["", "image/png", "application/octet-stream"])
            #expect(parts[1].length == Self.bytes.count && parts[2].length == 3)
            #expect(parts[1].sha256 == (try await Program.sha256(of: file)))
        }

        @Test("Django's parser", arguments: Client.allCases)
        func django(_ client: Client) async throws {
            let server = try await RealServers.shared.server(.oauth)
            let file = try await RealServers.shared.directory().file("form-file", Self.bytes)
            let parts = try decoded(await send(to: server.url("/form"), file, by: client, as: nil))
            try #require(parts.count == 3)
            #expect(parts[0] == Found(name: "title", text: "Żółw & \"co\""))
            #expect(parts[1].name == "file" && parts[1].filename == file.lastPathComponent)
            #expect(parts[1].length == Self.bytes.count && parts[1].type == "image/png")
            #expect(parts[1].sha256 == (try await Program.sha256(of: file)))
            // There are only the expected parts, though a name has a line end in it.
            #expect(parts[2].name == "odd%22name%0D%0A" && parts[2].length == 3)
        }
    }
}
