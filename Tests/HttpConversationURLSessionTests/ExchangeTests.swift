import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationURLSession
import Landscape
import Testing

@Suite("Exchanges over URLSession", .timeLimit(.minutes(1)))
struct ExchangeTests {
    @Test func smoke() async throws {
        try await withLandscape { landscape in
            let transport = URLSessionTransport()
            func show(_ name: String, _ work: () async throws -> String) async {
                let start = ContinuousClock.now
                do { print("###", name, try await work().prefix(400), ContinuousClock.now - start) } catch {
                    print("### FAILED", name, error, ContinuousClock.now - start)
                }
            }
            await show("json") { try await transport.text(.get, landscape.urlString(.main, "/json")) }
            await show("echo") {
                try await transport.text(.post, landscape.urlString(.main, "/echo"), body: .text("hello"))
            }
            await show("echo stream") {
                try await transport.text(
                    .put, landscape.urlString(.main, "/upload"),
                    body: .oneShot(
                        RequestBodyStream(
                            AsyncStream<[UInt8]> { c in
                                for _ in 0..<100 { c.yield([UInt8](repeating: 1, count: 100_000)) }; c.finish()
                            })))
            }
            await show("basic") {
                let r = try await transport.send(.get, landscape.urlString(.main, "/basic/realm1/page"));
                return "\(r.head) " + String(decoding: try await r.body.collect(upTo: 1000), as: UTF8.self)
            }
            await show("digest") {
                let r = try await transport.send(.get, landscape.urlString(.main, "/digest/all/page"));
                return "\(r.head)" + String(decoding: try await r.body.collect(upTo: 1000), as: UTF8.self)
            }
            await show("bytes") {
                try await "\(transport.text(.get, landscape.urlString(.main, "/bytes/10000000")).utf8.count)"
            }
            await show("gzip") {
                let r = try await transport.send(.get, landscape.urlString(.main, "/gzip?n=100000"));
                return "\(r.head)" + String(decoding: try await r.body.collect(upTo: 1000000), as: UTF8.self).prefix(10)
            }
            await show("head") {
                let r = try await transport.send(.head, landscape.urlString(.main, "/bytes/1000")); return "\(r.head)"
            }
            print(
                landscape.tableOfContents.split(separator: "\n").filter { $0.contains("redirect") }.joined(
                    separator: "\n"))
            for name in Fault.named.keys.sorted() where name != "delay" {
                await show("fault " + name) {
                    try await transport.text(.get, landscape.urlString(.main, "/fault/" + name)) {
                        $0.idleTimeout = .seconds(2); $0.connectTimeout = .seconds(1)
                    }
                }
            }
            await show("refused") { try await transport.text(.get, "http://127.0.0.1:1/") }
            await show("nohost") { try await transport.text(.get, "http://nohost.invalid/") }
            await show("tls") { try await transport.text(.get, landscape.urlString(.secure, "/json")) }
            await show("shutdown") {
                await transport.shutdown(); return try await transport.text(.get, landscape.urlString(.main, "/json"))
            }
        }
    }
}
