import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting

/// A folder, a server with ranges, and a manager that connects them.
struct ResumeBench {
    let files: DownloadBench
    let server: RangeServer
    let transport: ScriptedTransport
    let manager: HttpConversationManager

    static let url = "https://example.com/big.iso?key=canary-7f3a"
    static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    static let other = (0..<90_000).map { UInt8(truncatingIfNeeded: $0 &* 17 ^ $0 >> 7) }

    init(tag: String? = "\"v1\"", _ configure: (inout HttpConversationManager.Configuration) -> Void = { _ in }) throws
    {
        files = try DownloadBench()
        server = RangeServer(Self.bytes, tag: tag)
        transport = server.transport
        var configuration = HttpConversationManager.Configuration()
        configuration.clock = server.clock
        configure(&configuration)
        manager = HttpConversationManager(transport: transport, configuration: configuration)
    }

    var out: URL { files.url("out") }

    func request(_ url: String = Self.url) throws -> HTTPRequest { try HTTPRequest(.get, url) }

    /// Downloads until it is cut after `count` bytes.
    func cut(after count: Int) async throws -> DownloadToken? {
        server.change { $0.cuts = [count] }
        let download = try manager.startDownload(request(), to: out)
        guard case .failure = await download.result else { throw ConversationError(.internalInconsistency, "not cut") }
        return await download.token
    }

    func resume(_ token: DownloadToken) async throws -> DownloadedFile {
        try await manager.startDownload(request(), resuming: token).value
    }

    func written() throws -> [UInt8] { Array(try Data(contentsOf: out)) }

    /// The `Range` of each request; a dash if there is none.
    var ranges: [String] { transport.requests.map { $0.headerFields[.range] ?? "-" } }
}
