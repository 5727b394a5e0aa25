import Foundation
import HttpConversation
import HttpConversationNIO

/// Connections to as many servers, each of which has served a request.
enum IdleConnections {
    struct WrongLength: Error {}

    /// Prints the resident memory for each, in bytes.
    static func run(_ count: Int, port: Int) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.maximumConnections = count + 100
        let hosts = (0..<count + 100).map { "h\($0).example.com" }
        for host in hosts { try configuration.addresses.set(["127.0.0.1"], forHost: host, port: port) }
        let transport = NIOTransport(configuration: configuration)
        // What the first connections need for all of them does not count.
        for host in hosts.prefix(100) { try await fetch(transport, "http://\(host):\(port)/json") }
        let before = Memory.resident()
        for host in hosts.dropFirst(100) { try await fetch(transport, "http://\(host):\(port)/json") }
        print((Memory.resident() - before) * 1024 / count)
        withExtendedLifetime(transport) {}
    }

    private static func fetch(_ transport: NIOTransport, _ url: String) async throws {
        let response = try await transport.send(
            TransportRequest(
                target: TargetURL(url), method: .get, headerFields: [:], body: nil, options: TransportOptions()))
        guard try await response.body.collect(upTo: 1 << 20).count == 82 else { throw WrongLength() }
    }
}
