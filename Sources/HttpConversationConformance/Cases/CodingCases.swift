import HTTPTypes
import HttpConversation

extension CaseList {
    private static let plain = Array(Deflated.text.utf8)

    static let coding: [ConformanceCase] = [
        undone("gzip", "gzip", Deflated.gzip), undone("x-gzip", "x-gzip", Deflated.gzip),
        undone("capitals", "GZIP", Deflated.gzip), undone("zlib", "deflate", Deflated.zlib),
        undone("raw-deflate", "deflate", Deflated.raw), undone("identity", "identity", plain),
        undone("two-members", "gzip", Deflated.gzip + Deflated.gzip, times: 2),
        undone("empty-members", "gzip", Deflated.gzip([]) + Deflated.gzip([]) + Deflated.gzip + Deflated.gzip([])),
        undone("two-codings", "gzip, gzip", Deflated.gzip(Deflated.gzip)),
        undone(
            "five-codings", "gzip,gzip, ,gzip,gzip,gzip", (0..<5).reduce(plain) { bytes, _ in Deflated.gzip(bytes) }),
        damaged("no-gzip", "gzip", Array("no gzip at all".utf8)),
        damaged("cut-gzip", "gzip", Array(Deflated.gzip.dropLast(9))),
        damaged("checksum", "gzip", Deflated.gzip.dropLast(8) + [1, 2, 3, 4] + Deflated.gzip.suffix(4)),
        damaged("unknown", "br", [1, 2, 3]), damaged("behind-zlib", "deflate", Deflated.zlib + [1]),
        damaged("behind-gzip", "gzip", Deflated.gzip + [1, 2, 3]),
        damaged("six-codings", "gzip,gzip,gzip,gzip,gzip,gzip", Deflated.gzip),
        damaged("many-codings", Array(repeating: "identity", count: 5000).joined(separator: ","), plain),
        ConformanceCase(.coding, "bomb", "a body that expands without end is stopped", on: [.http1]) { run in
            try await coded(run, "gzip, gzip, gzip", Deflated.gzip(Deflated.gzip(Deflated.zeros(32 << 20)))) {
                client in
                try await client.expectFailure(.contentCoding, .tooLarge)
            }
        },
        ConformanceCase(.coding, "well-packed", "a well-packed body is accepted", on: [.http1]) { run in
            try await coded(run, "gzip", Deflated.zeros(4 << 20)) { client in
                try expect(try await client.bytes().count, is: 4 << 20, "bytes")
            }
        },
        ConformanceCase(.coding, "raw-deflate-in-pieces", "deflate: undone to its last byte", on: [.http1]) { run in
            let bytes = [UInt8](repeating: 7, count: (64 << 10) + 1)
            try await coded(run, "deflate", Deflated.raw(bytes)) { client in
                try expect(try await client.bytes() == bytes, "the body", "other bytes")
            }
        },
        ConformanceCase(
            .coding, "unknown-on-redirect", "an unknown coding of a body that nobody needs is no failure", on: network
        ) { run in
            try await run.serve { _ in
                ConformanceReply(.found, [.contentEncoding: "utf-8", .location: "/there"], pieces: [[1, 2, 3]])
            } _: { client in
                let response = try await client.send()
                try expect(response.head.status.code, is: 302, "the status")
                try expect(response.head.headerFields[.location], is: "/there", "Location")
            }
        },
        ConformanceCase(.coding, "unknown-empty", "an empty body needs no coding", on: network) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [.contentEncoding: "utf-8"])
            } _: { client in
                try await client.expect("")
            }
        },
        ConformanceCase(.coding, "not-wanted", "a coding that is not to be undone stays", on: network) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [.contentEncoding: "gzip"], pieces: [Deflated.gzip])
            } _: { client in
                let response = try await client.send { $0.decompresses = false }
                try expect(try await response.body.collect(upTo: 1000), is: Deflated.gzip, "the body")
                try expect(response.head.headerFields[.contentEncoding], is: "gzip", "Content-Encoding")
            }
        },
        ConformanceCase(
            .coding, "asked-for-by-the-caller", "a coding that the caller asked for is the caller's", on: network
        ) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [.contentEncoding: "br"], pieces: [[1, 2, 3]])
            } _: { client in
                try expect(try await client.bytes(fields: [.acceptEncoding: "br"]), is: [1, 2, 3], "the body")
            }
        },
        ConformanceCase(.coding, "fields", "what is undone is said no more", on: network) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [.contentEncoding: "gzip", .eTag: "\"1\""], pieces: [Deflated.gzip])
            } _: { client in
                let response = try await client.send()
                try expect(response.head.headerFields[.contentEncoding], is: nil, "Content-Encoding")
                try expect(response.head.headerFields[.contentLength], is: nil, "Content-Length")
                try expect(response.head.headerFields[.eTag], is: "\"1\"", "ETag")
                try expect(response.body.expectedLength, is: nil, "expectedLength")
                try expect(try await response.body.collect(upTo: 1000), is: plain, "the body")
            }
        },
        ConformanceCase(.coding, "cut", "a coded body that is cut is an error", on: [.http1]) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n")
                try await connection.write(Array(Deflated.gzip.prefix(20)))
            } _: { client in
                try await client.expectFailure(.bodyCut, .contentCoding)
            }
        },
        ConformanceCase(
            .coding, "cut-to-the-end", "a coded body to the end of its connection has to be whole", on: [.http1]
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
                try await connection.write(Array(Deflated.gzip.prefix(20)))
            } _: { client in
                try await client.expectFailure(.contentCoding, .bodyCut)
            }
        },
    ]

    private static func coded(
        _ run: CaseRun, _ coding: String, _ bytes: [UInt8], inPieces size: Int = .max,
        _ body: @Sendable (Client) async throws -> Void
    ) async throws {
        try await run.raw(
            { connection in
                _ = try await connection.readHead()
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nContent-Encoding: \(coding)\r\n\r\n")
                try await connection.write(bytes, inPieces: size)
                try await connection.untilClosed()
            }, body)
    }

    private static func undone(_ name: String, _ coding: String, _ bytes: [UInt8], times: Int = 1) -> ConformanceCase {
        ConformanceCase(.coding, name, "\(coding): undone", on: [.http1]) { run in
            for size in [Int.max, 1] {
                try await coded(run, coding, bytes, inPieces: size) { client in
                    try await client.expect(String(repeating: Deflated.text, count: times))
                }
            }
        }
    }

    private static func damaged(_ name: String, _ coding: String, _ bytes: [UInt8]) -> ConformanceCase {
        ConformanceCase(.coding, name, "damaged, unknown or too many: refused", on: [.http1]) { run in
            try await coded(run, coding, bytes) { client in
                try await client.expectFailure(.contentCoding)
            }
        }
    }
}
