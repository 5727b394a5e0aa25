import HTTPTypes
import HttpConversation

extension CaseList {
    static let backPressure: [ConformanceCase] =
        [false, true].map { isSecure in
            ConformanceCase(
                .backPressure, isSecure ? "slow-reader-with-tls" : "slow-reader",
                "a reader that is slow stops the server", on: [.http1], needs: .streamingResponses
            ) { run in
                // More than the kernel's buffers can grow to.
                let total = 96 << 20
                let accepted = Counter()
                try await run.raw(tls: isSecure ? SuiteAuthority.context() : nil, host: "localhost") { connection in
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
                    let piece = [UInt8](repeating: 7, count: 64 << 10)
                    while accepted.value < total {
                        try await connection.write(piece)
                        accepted.add(piece.count)
                    }
                    try await connection.untilClosed()
                } _: { client in
                    let body = try await client.send().body
                    try await standsStill(accepted)
                    try expect(accepted.value < total, "fewer than \(total) bytes to be taken", "\(accepted.value)")
                    let first = try await body.next()?.count ?? 0
                    try expect(first < 1 << 20, "less than a mebibyte in store", "\(first) bytes")
                    var received = first
                    while let chunk = try await body.next() { received += chunk.count }
                    try expect(received, is: total, "bytes")
                }
            }
        } + [
            ConformanceCase(
                .backPressure, "slow-server", "a server that is slow stops the source", on: [.http1],
                needs: .streamingRequests
            ) { run in
                let pulled = Counter()
                let gate = Gate()
                let total = 64 << 20
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    await gate.wait()
                    var left = total
                    while left > 0, let bytes = try await connection.read() { left -= bytes.count }
                    try await connection.respond("ok")
                    try await connection.untilClosed()
                } _: { client in
                    let body = RequestBody.stream(length: total) {
                        RequestBodyStream {
                            guard pulled.value < total else { return nil }
                            pulled.add(64 << 10)
                            return [UInt8](repeating: 1, count: 64 << 10)
                        }
                    }
                    async let response = client.expect("ok", .put, body: body)
                    await pulled.wait(for: 1)
                    try await standsStill(pulled)
                    try expect(pulled.value < total, "fewer than \(total) bytes to be pulled", "\(pulled.value)")
                    gate.open()
                    _ = try await response
                }
            }
        ]

    /// Waits until a count stays the same for a while. No event marks that.
    static func standsStill(_ counter: Counter) async throws {
        var last = -1
        while counter.value != last {
            last = counter.value
            try await Task.sleep(for: .milliseconds(150))
        }
    }
}
