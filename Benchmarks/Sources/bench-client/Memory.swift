import Crypto
import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationNIO

/// Moves a large body one way and prints the peak of resident memory over rest; the digest of what arrived must be
/// right.
enum Memory {
    struct WrongDigest: Error {}

    enum Kind: String {
        case downloadStream = "download-stream"
        case downloadFile = "download-file"
        case uploadFile = "upload-file"
        case uploadStream = "upload-stream"
        case uploadMultipart = "upload-multipart"
    }

    static func run(_ kind: Kind, mebibytes: Int, port: Int, certificate: String?) async throws {
        var configuration = NIOTransport.Configuration()
        if let certificate { configuration.tls.trustRoots = .file(URL(filePath: certificate)) }
        let manager = HttpConversationManager(transport: NIOTransport(configuration: configuration))
        let origin = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
        let version: ProtocolVersion = certificate == nil ? .http11 : .http2
        // Everything that a transfer needs is there, and a peak of it does not count.
        try await move(kind, 1 << 20, manager, origin, version)
        resetPeak()
        let rest = resident()
        try await move(kind, mebibytes << 20, manager, origin, version)
        print(value("VmHWM:") - rest)
    }

    private static func move(
        _ kind: Kind, _ count: Int, _ manager: HttpConversationManager, _ origin: String, _ version: ProtocolVersion
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "body")
        let used: ProtocolVersion?
        switch kind {
        case .downloadStream:
            let stream = try await manager.bytes(for: HTTPRequest(.get, "\(origin)/bytes/\(count)"))
            var digest = SHA256()
            for try await chunk in stream.body { digest.update(data: chunk) }
            guard hex(digest.finalize()) == Pattern.digest(count) else { throw WrongDigest() }
            used = stream.version
        case .downloadFile:
            let response = try await manager.download(for: "\(origin)/bytes/\(count)", to: file)
            guard try await digest(of: .file(file)) == Pattern.digest(count) else { throw WrongDigest() }
            used = response.version
        case .uploadFile, .uploadStream, .uploadMultipart:
            let body = try body(kind, count, file)
            let expected = try await digest(of: body)
            let response = try await manager.upload(for: HTTPRequest(.put, "\(origin)/upload"), from: body)
            guard response.text == expected else { throw WrongDigest() }
            used = response.version
        }
        guard used == version else { throw WrongDigest() }
    }

    private static func body(_ kind: Kind, _ count: Int, _ file: URL) throws -> RequestBody {
        if kind == .uploadStream { return .stream(length: count) { Pattern.stream(count) } }
        try Pattern.write(count, to: file)
        if kind == .uploadFile { return .file(file) }
        return .multipart([try .field("name", "value"), try .file("file", file), try .field("after", "it")])
    }

    static func digest(of body: RequestBody) async throws -> String {
        let stream = try await body.open().stream()
        var digest = SHA256()
        while let chunk = try await stream.next() { digest.update(data: chunk) }
        return hex(digest.finalize())
    }

    static func hex(_ digest: SHA256.Digest) -> String {
        digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// VmHWM of this process in KiB.
    static func peak() -> Int { value("VmHWM:") }

    /// The present one, in KiB.
    static func resident() -> Int { value("VmRSS:") }

    /// The peak so far does not count from here on (`man 5 proc`).
    private static func resetPeak() { try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }

    private static func value(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}

/// The bytes that both sides of a large transfer know.
enum Pattern {
    static let block: [UInt8] = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// - Parameter count: whole blocks
    static func digest(_ count: Int) -> String {
        var digest = SHA256()
        for _ in 0..<(count / block.count) { digest.update(data: block) }
        return Memory.hex(digest.finalize())
    }

    static func write(_ count: Int, to file: URL) throws {
        _ = FileManager.default.createFile(atPath: file.path(), contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        let data = Data(block)
        for _ in 0..<(count / data.count) { try handle.write(contentsOf: data) }
        try handle.close()
    }

    static func stream(_ count: Int) -> RequestBodyStream {
        let blocks = Countdown(count / block.count)
        return RequestBodyStream { blocks.next() ? Pattern.block : nil }
    }
}
