import Foundation
import HttpConversation
import HttpConversationNIO

/// Bodies whose readers stand still, side by side on one connection of HTTP/2.
enum StalledStreams {
    static func run(_ count: Int, port: Int, certificate: String) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .file(URL(filePath: certificate))
        let transport = NIOTransport(configuration: configuration)
        let root = "https://127.0.0.1:\(port)"
        // By its end the server's limit on streams is known.
        _ = try await fetch(transport, "\(root)/json")
        var stalled: [TransportResponse] = []
        for _ in 0..<count {
            stalled.append(try await send(transport, "\(root)/stall"))
        }
        // Answered once the windows of all are used up, and so behind what fills them.
        _ = try await fetch(transport, "\(root)/barrier")
        print(Memory.peak())
        withExtendedLifetime(stalled) {}
    }

    private static func send(_ transport: NIOTransport, _ url: String) async throws -> TransportResponse {
        try await transport.send(
            TransportRequest(
                target: TargetURL(url), method: .get, headerFields: [:], body: nil, options: TransportOptions()))
    }

    private static func fetch(_ transport: NIOTransport, _ url: String) async throws -> Int {
        try await send(transport, url).body.collect(upTo: 1 << 20).count
    }
}
