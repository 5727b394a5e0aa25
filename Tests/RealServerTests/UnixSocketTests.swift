import Foundation
import HttpC
import HttpConversationNIO
import HttpConversationTesting
import TestSupport
import Testing

extension RealServerTests {
    /// The path of a Unix socket of nginx.
    @Suite(.serialized) struct UnixSockets {
        private static func socket(_ name: String, of server: RealServer) -> String {
            server.directory.appending(path: "run/\(name).sock").path(percentEncoded: false)
        }

        @Test("A server at a Unix socket is reached by its URL's name, with and without TLS")
        func reached() async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let plain = Self.socket("plain", of: nginx)
            let secure = Self.socket("secure", of: nginx)
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            let transport = try await Library.transport {
                try? $0.addresses.set(unixSocket: plain, for: "http://engine.example.com")
                try? $0.addresses.set(unixSocket: secure, for: "https://engine.example.com")
                // The certificate is compared with the URL's address, though the socket's peer has none.
                try? $0.addresses.set(unixSocket: secure, for: "https://127.0.0.1")
                try? $0.addresses.set(unixSocket: secure, for: "https://192.0.2.1")
                try? $0.addresses.set(unixSocket: secure, for: "https://engine.invalid")
            }
            let manager = HttpConversationManager(transport: transport)
            for _ in 0..<2 {
                #expect(try await manager.get("http://engine.example.com\(path)").text == Fixture.hello)
            }
            let answer = try await manager.get("https://engine.example.com\(path)")
            #expect(answer.text == Fixture.hello)
            #expect(answer.version == .http2)
            #expect(try await manager.get("https://127.0.0.1\(path)").text == Fixture.hello)
            for url in ["https://192.0.2.1\(path)", "https://engine.invalid\(path)"] {
                #expect(await failureCode { try await manager.get(url) } == .certificateNotTrusted, "\(url)")
            }
            let requests = try await nginx.received(path, atLeast: 4)
            #expect(requests.filter { $0.fields.contains { $0 == ("Host", "engine.example.com") } }.count == 3)
            #expect(requests.contains { $0.line.contains("\"nth\":\"2\"") }, "the connection is used again")
        }

        /// The typed URL uses the socket, and the target of its redirect does not. A proxy of the environment is
        /// ignored for the socket.
        @Test("httpc reaches the typed URL by the socket, or says why it does not")
        func command() async throws {
            let nginx = try await RealServers.shared.server(.nginx)
            let plain = Self.socket("plain", of: nginx)
            let away = nginx.redirect(302, to: nginx.url("/open/x", .second))
            let elsewhere = "http://engine.invalid" + away.dropFirst("http://127.0.0.1:\(nginx.port())".count)
            let authority = try await RealServers.shared.authority().path
            let outcome = try await Program.httpc([
                "-sS", "--cacert", authority, "--unix-socket", plain, "-H", "Host: other.example", elsewhere,
            ])
            #expect(outcome.text == Fixture.hello, "\(outcome.errors)")
            let requests = try await nginx.received(
                String(elsewhere.dropFirst("http://engine.invalid".count)), atLeast: 1)
            #expect(requests.last?.fields.contains { $0 == ("Host", "other.example") } == true)
            for (socket, why) in [
                (plain + "x", "no such file"), (nginx.directory.appending(path: "nginx.conf").path, "not a socket"),
                (String(repeating: "x", count: 108), "107"),
            ] {
                let failed = try await Program.httpc(["--unix-socket", socket, "http://engine.invalid/"])
                #expect(failed.status == 7 && failed.errors.contains(why), "\(failed.errors)")
            }
        }
    }
}
