import HTTPTypes
import HttpConversation

extension CaseList {
    static let bodies: [ConformanceCase] = [
        body("empty", "an empty body", []),
        body("byte", "a body of one byte", [[0]]),
        body("every-byte", "a body of every byte there is", [Array(0...255)]),
        body("pieces", "a body in pieces", [[1], [2, 3], [4], [5, 6, 7], [8]]),
        body("pieces-of-one", "a body byte by byte", (0..<200).map { [UInt8($0)] }),
        body(
            "medium", "a body of 40,000 bytes",
            [[UInt8](repeating: 7, count: 20_000), [UInt8](repeating: 9, count: 20_000)]),
        ConformanceCase(.bodies, "large", "a body of 8 MiB", on: [.http1], needs: []) { run in
            let piece = [UInt8](repeating: 7, count: 64 << 10)
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(128 * piece.count)\r\n\r\n")
                for _ in 0..<128 { try await connection.write(piece) }
                try await connection.untilClosed()
            } _: { client in
                let bytes = try await client.bytes()
                try expect(bytes.count, is: 8 << 20, "bytes")
                try expect(bytes.allSatisfy { $0 == 7 }, "the bytes that were sent", "others")
            }
        },
        ConformanceCase(.bodies, "announced-length", "an announced length is known before", on: everywhere) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], "hello")
            } _: { client in
                let response = try await client.send()
                try expect(response.body.expectedLength, is: 5, "expectedLength")
                try expect(try await response.body.collect(upTo: 5).count, is: 5, "bytes")
            }
        },
        ConformanceCase(
            .bodies, "unknown-length", "a length that is not announced is unknown before the end", on: everywhere
        ) { run in
            try await run.serve { _ in
                var reply = ConformanceReply(.ok, [:], pieces: [[1], [2]])
                reply.announcesLength = false
                return reply
            } _: { client in
                let response = try await client.send()
                let length = response.body.expectedLength
                try expect(
                    length == nil || length == 2, "no expectedLength, or 2 where all is there", "\(length ?? -1)")
                try expect(try await response.body.collect(upTo: 5), is: [1, 2], "the body")
            }
        },
        ConformanceCase(.bodies, "ends-once", "after its end there is nothing more", on: everywhere) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], "ab")
            } _: { client in
                let body = try await client.send().body
                try expect(try await body.collect(upTo: 5), is: Array("ab".utf8), "the body")
                for _ in 0..<3 { try expect(try await body.next(), is: nil, "a chunk after the end") }
            }
        },
        ConformanceCase(.bodies, "no-empty-chunks", "chunks have bytes, and bodies end once", on: everywhere) { run in
            try await run.serve { _ in
                var reply = ConformanceReply(.ok, [:], pieces: [[1], [], [2]])
                reply.announcesLength = false
                return reply
            } _: { client in
                let body = try await client.send().body
                var bytes: [UInt8] = []
                while let chunk = try await body.next() { bytes += chunk }
                try expect(bytes, is: [1, 2], "the body")
            }
        },
        ConformanceCase(.bodies, "cut", "a body that ends too early is an error", on: everywhere) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], pieces: [[1, 2, 3]], ending: .cut)
            } _: { client in
                try await client.expectFailure(.bodyCut, .http2Failed, .receiveFailed)
            }
        },
        ConformanceCase(
            .bodies, "head-comes-first", "the head does not wait for the body", on: everywhere,
            needs: .streamingResponses
        ) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [.eTag: "\"1\""], pieces: [], ending: .open)
            } _: { client in
                let response = try await client.send()
                try expect(response.head.headerFields[.eTag], is: "\"1\"", "ETag")
            }
        },
        ConformanceCase(.bodies, "streams", "bytes come as they are there", on: [.http1], needs: .streamingResponses) {
            run in
            let more = Gate()
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
                await more.wait()
                try await connection.write("3\r\ndef\r\n0\r\n\r\n")
                try await connection.untilClosed()
            } _: { client in
                let body = try await client.send().body
                try expect(try await body.next(), is: Array("abc".utf8), "the first chunk")
                more.open()
                try expect(try await body.collect(upTo: 10), is: Array("def".utf8), "the rest")
            }
        },
    ]

    private static func body(_ name: String, _ title: String, _ pieces: [[UInt8]]) -> ConformanceCase {
        ConformanceCase(.bodies, name, "\(title) arrives whole", on: everywhere) { run in
            for announcesLength in [true, false] {
                try await run.serve { _ in
                    var reply = ConformanceReply(.ok, [:], pieces: pieces)
                    reply.announcesLength = announcesLength
                    return reply
                } _: { client in
                    try expect(try await client.bytes(), is: Array(pieces.joined()), "the body")
                }
            }
        }
    }
}
