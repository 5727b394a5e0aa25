import Foundation
import NIOCore
import NIOPosix

// The requests of Benchmarks/all --tests, from the sources of bench-client, bench-tokens and bench-server, in the build
// of the tests.
//
// RequestWorker serve                       prints its port, and serves until it is killed
// RequestWorker ROW RUNS COUNT PORT         sends so many requests in each run, one after the other; prints nothing
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    if arguments == ["serve"] {
        try await serve()
        return true
    }
    guard arguments.count == 4, let runs = Int(arguments[1]), let count = Int(arguments[2]),
        let port = Int(arguments[3])
    else { return false }
    switch arguments[0] {
    case "nio": try await send(BareClient(port: port, connections: 1), runs, count)
    case "plain": try await send(OurClient(port: port, connections: 1, scenario: .get), runs, count)
    case "authenticated": try await send(OurClient(port: port, connections: 1, scenario: .auth), runs, count)
    case "memory":
        let client = try await TokenRequests("memory", port: port, place: URL(filePath: "/"))
        for _ in 0..<runs {
            beginRun()
            try await client.run(count)
        }
        beginRun()
    default: return false
    }
    return true
}

func send(_ client: some Client, _ runs: Int, _ count: Int) async throws {
    for _ in 0..<runs {
        beginRun()
        try await Load.run(client, tasks: 1, requests: count)
    }
    beginRun()
}

/// Callgrind writes down what it has counted whenever this is called.
@inline(never)
func beginRun() {}

func serve() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(ServerHandler())
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    FileHandle.standardOutput.write(Data("\(server.localAddress?.port ?? 0)\n".utf8))
    try await server.closeFuture.get()
}

runBenchmark(perform)
