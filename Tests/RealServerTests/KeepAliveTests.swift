import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    @Suite(.serialized) struct KeepAlive {
        @Test("A server may close a connection after three requests")
        func threeRequests() async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let manager = try await Library.manager()
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            for _ in 0..<12 {
                let response = try await manager.data(for: HTTPRequest(.get, nginx.url(path, .third)))
                #expect(response.text == Fixture.hello)
            }
            // Each request arrived once, and connections were used to their limit.
            let requests = try await nginx.received(path, atLeast: 12)
            #expect(requests.count == 12)
            #expect(requests.count { $0.line.contains("\"nth\":\"3\"") } == 4)
        }

        /// The idle limit of five milliseconds expires sometimes before the next request, and sometimes while it is
        /// being sent.
        @Test("Requests meet connections that are just being closed", arguments: [ServerKind.apache, .nginx])
        func closing(_ kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let manager = try await Library.manager()
            for index in 0..<300 {
                let response = try await manager.data(for: HTTPRequest(.get, server.url("/open/stale", .impatient)))
                #expect(response.text == Fixture.hello)
                // The pause is the subject of this test. It synchronises nothing.
                try await Task.sleep(for: .microseconds(4000 + index * 13 % 2500))
            }
        }

        @Test("A server that restarts closes its idle connections; the next requests get new ones")
        func restart() async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let manager = try await Library.manager()
            func burst() async throws -> [String] {
                try await Parallel.inParallel(20) { _ in
                    try await manager.data(for: HTTPRequest(.get, nginx.url("/open/burst"))).text
                }
            }
            #expect(try await burst() == Array(repeating: Fixture.hello, count: 20))
            let pid = try String(contentsOf: nginx.directory.appending(path: "run/nginx.pid"), encoding: .utf8)
            let reload = try await Program.run(
                "/bin/sh", ["-c", "kill -HUP \(pid.trimmingCharacters(in: .whitespacesAndNewlines))"])
            #expect(reload.status == 0)
            for _ in 0..<10 { #expect(try await burst() == Array(repeating: Fixture.hello, count: 20)) }
        }
    }
}
