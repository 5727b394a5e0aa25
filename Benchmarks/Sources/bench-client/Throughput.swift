import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationNIO
import NIOCore

/// Moves a large body one way, with its digest verified, by this package or by AsyncHTTPClient.
enum Throughput {
    static func run(_ client: String, _ isUpload: Bool, mebibytes: Int, port: Int) async throws {
        let origin = "http://127.0.0.1:\(port)"
        let mover: any Mover = client == "ahc" ? AsyncHTTPClientMover(origin: origin) : OurMover(origin: origin)
        let count = mebibytes << 20
        let expected = Pattern.digest(count)
        _ = try await move(mover, isUpload, 1 << 20)
        let before = Usage.now()
        guard try await move(mover, isUpload, count) == expected else { throw Memory.WrongDigest() }
        let used = Usage.now().since(before)
        print(Int(Double(mebibytes) / used.wall), Int(used.cpu * 1e6 / Double(mebibytes)))
    }

    private static func move(_ mover: any Mover, _ isUpload: Bool, _ count: Int) async throws -> String {
        isUpload ? try await mover.upload(count) : try await mover.download(count)
    }
}

/// Both return the digest of what was moved.
protocol Mover {
    func download(_ count: Int) async throws -> String
    func upload(_ count: Int) async throws -> String
}

struct OurMover: Mover {
    let origin: String
    private let manager = HttpConversationManager(transport: NIOTransport())

    init(origin: String) { self.origin = origin }

    func download(_ count: Int) async throws -> String {
        let stream = try await manager.bytes(for: HTTPRequest(.get, "\(origin)/bytes/\(count)"))
        var digest = SHA256()
        for try await chunk in stream.body { digest.update(data: chunk) }
        return Memory.hex(digest.finalize())
    }

    func upload(_ count: Int) async throws -> String {
        let body = RequestBody.stream(length: count) { Pattern.stream(count) }
        return try await manager.upload(for: HTTPRequest(.put, "\(origin)/upload"), from: body).text
    }
}

struct AsyncHTTPClientMover: Mover {
    let origin: String

    func download(_ count: Int) async throws -> String {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "\(origin)/bytes/\(count)"), timeout: .seconds(600))
        var digest = SHA256()
        for try await chunk in response.body { chunk.withUnsafeReadableBytes { digest.update(bufferPointer: $0) } }
        return Memory.hex(digest.finalize())
    }

    func upload(_ count: Int) async throws -> String {
        var request = HTTPClientRequest(url: "\(origin)/upload")
        request.method = .PUT
        let blocks = Blocks(count / Pattern.block.count)
        request.body = .stream(AsyncStream { await blocks.next() }, length: .known(Int64(count)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        return String(buffer: try await response.body.collect(upTo: 1024))
    }
}

/// Yields the block so many times, in that client's own type.
private actor Blocks {
    private let block = ByteBuffer(bytes: Pattern.block)
    private var left: Int

    init(_ count: Int) { left = count }

    func next() -> ByteBuffer? {
        guard left > 0 else { return nil }
        left -= 1
        return block
    }
}
