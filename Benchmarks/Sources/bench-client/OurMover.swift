import Crypto
import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationNIO

struct OurMover: Mover {
    private let origin: String
    private let manager: HttpConversationManager

    init(origin: String, certificate: String) {
        self.origin = origin
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .file(URL(filePath: certificate))
        manager = HttpConversationManager(transport: NIOTransport(configuration: configuration))
    }

    func download(_ count: Int) async throws -> String {
        let stream = try await manager.bytes(for: HTTPRequest(.get, "\(origin)/bytes/\(count)"))
        var digest = SHA256()
        for try await chunk in stream.body { digest.update(data: chunk) }
        return Memory.hex(digest.finalize())
    }

    func download(_ count: Int, to file: URL) async throws -> String {
        _ = try await manager.download(for: "\(origin)/bytes/\(count)", to: file)
        return ""
    }

    func upload(_ count: Int) async throws -> String {
        try await upload(.stream(length: count) { Pattern.stream(count) })
    }

    func upload(_ file: URL, _ count: Int) async throws -> String { try await upload(.file(file)) }

    private func upload(_ body: RequestBody) async throws -> String {
        try await manager.upload(for: HTTPRequest(.put, "\(origin)/upload"), from: body).text
    }
}
