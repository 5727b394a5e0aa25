import HTTPTypes
import HttpConversation
import HttpConversationNIO
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct BackPressureTests {
    /// The server's writes stop being taken while nobody reads the body, and go on when somebody does.
    @Test(arguments: [false, true]) func slowConsumerStopsTheServer(secure: Bool) async throws {
        // More than the kernel's own buffers grow to.
        let total = 192 << 20
        let accepted = Counter()
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let context = secure ? try authority.serverContext() : nil
        try await RawServer.run(tls: context) { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 64 << 10)
            while accepted.value < total {
                try await connection.write(piece)
                accepted.add(piece.count)
            }
            try await connection.untilClosed()
        } _: { server in
            let response = try await transport.send(.get, "\(secure ? "https" : "http")://localhost:\(server.port)/")
            // Until nothing moves any more: the same count over many looks.
            var last = -1
            while accepted.value != last {
                last = accepted.value
                try await Task.sleep(for: .milliseconds(100))
            }
            // What is beyond our own buffer is the kernel's, whose size is not ours to know.
            #expect(last < total)
            let first = try await response.body.next()?.count ?? 0
            #expect(first < 1 << 20, "\(first) bytes were buffered")
            var received = first
            while let chunk = try await response.body.next() { received += chunk.count }
            #expect(received == total)
        }
    }

    /// A request stream is pulled only as far as the socket takes it.
    @Test func slowServerStopsTheSource() async throws {
        let pulled = Counter()
        let gate = Gate()
        let total = 64 << 20
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            await gate.wait()
            _ = try await connection.readBytes(total)
            try await connection.respond("ok")
            try await connection.untilClosed()
        } _: { server in
            let body = RequestBody.stream(length: total) {
                RequestBodyStream {
                    pulled.value < total
                        ? {
                            pulled.add(64 << 10); return [UInt8](repeating: 1, count: 64 << 10)
                        }() : nil
                }
            }
            async let text = NIOTransport.make().text(.put, server.url, body: body)
            var last = -1
            while pulled.value != last || last == 0 {
                last = pulled.value
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(last < total)
            gate.open()
            #expect(try await text == "ok")
        }
    }
}
