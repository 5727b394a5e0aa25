import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization

/// A separate folder, and downloads into it whose chunks arrive when the test says so.
final class DownloadBench: Sendable {
    static let second = Duration.seconds(1)

    let directory: URL
    let clock = TestClock()
    /// The reported progress.
    let progress = Mutex<[String]>([])

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? []
    }

    func url(_ name: String) -> URL { directory.appending(path: name) }

    func make(_ name: String, _ text: String, mode: Int = 0o640) throws -> URL {
        try Data(text.utf8).write(to: url(name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url(name).path)
        return url(name)
    }

    func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url(name).path)[.posixPermissions] as? Int
    }

    func manager(_ answer: ScriptedTransport.Answer) -> HttpConversationManager {
        HttpConversationManager(transport: ScriptedTransport(clock: clock) { _, _ in answer })
    }

    /// - Returns: the error's code; nil on success
    func download(
        _ answer: ScriptedTransport.Answer, to sink: some ResponseBodySink
    ) async -> ConversationError.Code? {
        do throws(ConversationError) {
            _ = try await manager(answer).download(
                for: HTTPRequest(.get, "https://example.com/"), to: sink,
                progress: { [self] news in
                    progress.withLock { $0.append("\(news.received)/\(news.total.map(String.init) ?? "?")") }
                })
            return nil
        } catch { return error.code }
    }
}
