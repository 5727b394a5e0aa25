import Crypto
import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationNIO

/// Moves a large body one way and prints the peak of resident memory; the digest of what arrived must be right.
enum Memory {
    struct WrongDigest: Error {}

    private static let block: [UInt8] = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    static func run(_ direction: String, mebibytes: Int, port: Int) async throws {
        let manager = HttpConversationManager(transport: NIOTransport())
        let count = mebibytes << 20
        if direction == "upload" {
            try await upload(manager, count, port)
        } else {
            try await download(manager, count, port)
        }
        print(peak())
    }

    private static func download(_ manager: HttpConversationManager, _ count: Int, _ port: Int) async throws {
        let stream = try await manager.bytes(for: HTTPRequest(.get, "http://127.0.0.1:\(port)/bytes/\(count)"))
        var digest = SHA256()
        for try await chunk in stream.body { digest.update(data: chunk) }
        guard hex(digest.finalize()) == expected(count) else { throw WrongDigest() }
    }

    /// A file, written in pieces first.
    private static func upload(_ manager: HttpConversationManager, _ count: Int, _ port: Int) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path(), contents: nil)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let data = Data(block)
        for _ in 0..<(count / block.count) { try handle.write(contentsOf: data) }
        try handle.close()
        let response = try await manager.upload(
            for: HTTPRequest(.put, "http://127.0.0.1:\(port)/upload"), from: .file(file))
        guard response.text == expected(count) else { throw WrongDigest() }
    }

    private static func expected(_ count: Int) -> String {
        var digest = SHA256()
        for _ in 0..<(count / block.count) { digest.update(data: block) }
        return hex(digest.finalize())
    }

    private static func hex(_ digest: SHA256.Digest) -> String {
        digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// VmHWM of this process in KiB.
    static func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
