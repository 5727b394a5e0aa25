import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

extension CaseList {
    static let connecting: [ConformanceCase] = [
        ConformanceCase(.connecting, "refused", "a port that nobody listens at", on: [.http1]) { run in
            let gone = Mutex(0)
            try await run.raw { _ in
            } _: { client in
                gone.withLock { $0 = (try? client.server.port) ?? 0 }
            }
            let port = gone.withLock { $0 }
            try await run.use(run.transport()) { transport in
                for host in ["127.0.0.1", "localhost"] {
                    let client = Client(transport, url: "http://\(host):\(port)", server: nil)
                    let error = try await client.expectFailure(.connectionFailed)
                    try expect(error.message.contains("\(host):\(port)"), "host and port in the message", error.message)
                }
            }
        },
        ConformanceCase(.connecting, "unresolved", "a name without an address", on: [.http1]) { run in
            try await run.use(run.transport()) { transport in
                let client = Client(transport, url: "http://no-such-host.invalid:81", server: nil)
                let error = try await client.expectFailure(.hostNotResolved)
                try expect(error.message.contains("no-such-host.invalid"), "the name in the message", error.message)
            }
        },
        ConformanceCase(.connecting, "shut-down", "a transport that is shut down refuses", on: network) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], "ok")
            } _: { client in
                try await client.expect("ok")
                await client.transport.shutdown()
                try await client.expectFailure(.shutDown)
                await client.transport.shutdown()
            }
        },
        ConformanceCase(.connecting, "shutting-down", "what is running may end before a transport does", on: network) {
            run in
            let arrived = Gate()
            let gate = Gate()
            try await run.serve { exchange in
                arrived.open()
                await gate.wait()
                return ConformanceReply(.ok, [:], "ok")
            } _: { client in
                async let running = client.expect("ok")
                await arrived.wait()
                async let shutdown: Void = client.transport.shutdown()
                // No event marks the start of the shutdown.
                try await Task.sleep(for: .milliseconds(20))
                gate.open()
                _ = try await running
                await shutdown
            }
        },
        ConformanceCase(
            .connecting, "idle-connections-close", "a transport that is shut down keeps no connection", on: [.http1]
        ) { run in
            try await run.raw(answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))) { client in
                try await client.expect("ok")
                await client.transport.shutdown()
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(.connecting, "two-origins", "connections of one server serve no other", on: [.http1]) { run in
            let script = { @Sendable (name: String) -> RawServer.Script in
                answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(name)"))
            }
            try await run.raw(script("a")) { one in
                try await RawServer.run(script: script("b")) { server in
                    let other = one.at("http://127.0.0.1:\(server.port)")
                    for _ in 0..<2 {
                        try await one.expect("a")
                        try await other.expect("b")
                    }
                    try one.expectConnections(1)
                    try expect(server.connectionCount, is: 1, "connections to the other server")
                }
            }
        },
    ]
}
