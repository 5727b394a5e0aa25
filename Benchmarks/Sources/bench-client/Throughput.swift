import Foundation
import HttpConversation

/// Moves a large body one way, by this package, by AsyncHTTPClient or by bare SwiftNIO.
enum Throughput {
    enum Wire: String { case plain, tls, http2 }
    /// From where an upload comes, or where a download goes.
    enum Place: String { case memory, file }

    /// Prints MiB/s, and processor time per MiB in µs. The digest of what was moved must be right.
    static func run(
        _ mover: any Mover, isUpload: Bool, place: Place, mebibytes: Int
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "body")
        // Connections are there, and what is made once.
        try await move(mover, isUpload, place, 1 << 20, file)
        let count = mebibytes << 20
        let used = try await move(mover, isUpload, place, count, file)
        print(Int(Double(mebibytes) / used.wall), Int(used.cpu * 1e6 / Double(mebibytes)))
    }

    @discardableResult
    private static func move(
        _ mover: any Mover, _ isUpload: Bool, _ place: Place, _ count: Int, _ file: URL
    ) async throws -> Usage {
        if isUpload, place == .file { try Pattern.write(count, to: file) }
        let before = Usage.now()
        var digest =
            switch (isUpload, place) {
            case (true, .memory): try await mover.upload(count)
            case (true, .file): try await mover.upload(file, count)
            case (false, .memory): try await mover.download(count)
            case (false, .file): try await mover.download(count, to: file)
            }
        let used = Usage.now().since(before)
        if !isUpload, place == .file { digest = try await Memory.digest(of: .file(file)) }
        guard digest == Pattern.digest(count) else { throw Memory.WrongDigest() }
        return used
    }
}

/// All return the digest of what was moved, but for a download into a file, whose digest is taken afterwards.
protocol Mover {
    func download(_ count: Int) async throws -> String
    func download(_ count: Int, to file: URL) async throws -> String
    func upload(_ count: Int) async throws -> String
    func upload(_ file: URL, _ count: Int) async throws -> String
}
