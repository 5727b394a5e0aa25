import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

struct AsyncHTTPClientMover: Mover {
    private let origin: String
    private let client: HTTPClient

    init(origin: String, certificate: String) {
        self.origin = origin
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificate)
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private func body(_ count: Int) async throws -> HTTPClientResponse.Body {
        try await client.execute(HTTPClientRequest(url: "\(origin)/bytes/\(count)"), timeout: .seconds(600)).body
    }

    func download(_ count: Int) async throws -> String {
        var digest = SHA256()
        for try await chunk in try await body(count) {
            chunk.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
        }
        return Memory.hex(digest.finalize())
    }

    func download(_ count: Int, to file: URL) async throws -> String {
        let descriptor = try OpenFile(writing: file)
        for try await chunk in try await body(count) {
            try await NIOThreadPool.singleton.runIfActive { try descriptor.write(chunk) }
        }
        return ""
    }

    func upload(_ count: Int) async throws -> String {
        let blocks = Countdown(count / Pattern.block.count)
        return try await upload(
            AsyncStream { blocks.next() ? ByteBuffer(bytes: Pattern.block) : nil }, count)
    }

    func upload(_ file: URL, _ count: Int) async throws -> String {
        let descriptor = try OpenFile(reading: file)
        let blocks = Countdown(count / Pattern.block.count)
        let stream = AsyncThrowingStream<ByteBuffer, any Error> {
            guard blocks.next() else { return nil }
            return try await NIOThreadPool.singleton.runIfActive { try descriptor.read() }
        }
        return try await upload(stream, count)
    }

    private func upload<Blocks: AsyncSequence & Sendable>(_ blocks: Blocks, _ count: Int) async throws -> String
    where Blocks.Element == ByteBuffer {
        var request = HTTPClientRequest(url: "\(origin)/upload")
        request.method = .PUT
        request.body = .stream(blocks, length: .known(Int64(count)))
        let response = try await client.execute(request, timeout: .seconds(600))
        return String(buffer: try await response.body.collect(upTo: 1024))
    }
}
