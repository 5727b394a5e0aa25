import BenchMain
import Foundation

// bench-client MODE SCENARIO CONNECTIONS REQUESTS PORT [CERTIFICATE]
//                                                             prints CPU per request (µs), requests per second
// bench-client http2 CLIENT TASKS REQUESTS PORT CERTIFICATE   prints the same, over one connection of HTTP/2
// bench-client stalled STREAMS PORT CERTIFICATE               prints the peak of resident memory (KiB)
// bench-client idle COUNT PORT                        prints the resident memory of idle connections (bytes each)
// bench-client memory KIND MIB PORT [CERTIFICATE]             prints the peak of resident memory over rest (KiB)
// bench-client throughput CLIENT WIRE down|up memory|file MIB PORT CERTIFICATE
//                                                             prints MiB/s, CPU per MiB (µs)
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    let numbers = arguments.map { Int($0) ?? 0 }
    switch (arguments.first, arguments.count) {
    case ("memory", 4...5):
        guard let kind = Memory.Kind(rawValue: arguments[1]) else { return false }
        let certificate = arguments.count == 5 ? arguments[4] : nil
        try await Memory.run(kind, mebibytes: numbers[2], port: numbers[3], certificate: certificate)
    case ("throughput", 8):
        guard let wire = Throughput.Wire(rawValue: arguments[2]), let place = Throughput.Place(rawValue: arguments[4])
        else { return false }
        try await Throughput.run(
            mover(arguments[1], wire, port: numbers[6], certificate: arguments[7]), isUpload: arguments[3] == "up",
            place: place, mebibytes: numbers[5])
    case ("idle", 3): try await IdleConnections.run(numbers[1], port: numbers[2])
    case ("stalled", 4):
        try await StalledStreams.run(numbers[1], port: numbers[2], certificate: arguments[3])
    case ("http2", 6):
        let client = try await multiplexing(arguments[1], port: numbers[4], certificate: arguments[5])
        try await Load.measure(client, tasks: numbers[2], requests: numbers[3])
    case (let mode?, 5...6):
        guard let scenario = Scenario(rawValue: arguments[1]) else { return false }
        let client = try await client(
            mode, scenario, connections: numbers[2], port: numbers[4],
            certificate: arguments.count == 6 ? arguments[5] : nil)
        let tasks = scenario == .parallel ? 1000 : numbers[2]
        try await Load.run(client, tasks: tasks, requests: max(tasks, numbers[3] / 5))
        try await Load.measure(client, tasks: tasks, requests: numbers[3])
    default: return false
    }
    return true
}

func client(
    _ mode: String, _ scenario: Scenario, connections: Int, port: Int, certificate: String?
) async throws -> any Client {
    switch mode {
    case "nio": try await BareClient(port: port, connections: connections, certificate: certificate)
    case "nio-loop":
        try await BareClient(port: port, connections: connections, certificate: certificate, isOnLoops: true)
    case "transport": try TransportClient(port: port, connections: connections, certificate: certificate)
    case "ours":
        try await OurClient(port: port, connections: connections, scenario: scenario, certificate: certificate)
    case "ours-loop":
        try await OurClient(
            port: port, connections: connections, scenario: scenario, certificate: certificate, isOnLoops: true)
    case "ahc": AsyncHTTPClientClient(port: port, connections: connections, certificate: certificate)
    default: URLSessionClient(port: port, connections: connections)
    }
}

func multiplexing(_ name: String, port: Int, certificate: String) async throws -> any Client {
    switch name {
    case "frames": try await BareHTTP2Client(port: port, certificate: certificate)
    case "nio": try await MultiplexedHTTP2Client(port: port, certificate: certificate)
    case "transport": try TransportClient(port: port, connections: 1, certificate: certificate)
    case "ours": try await OurClient(port: port, connections: 1, scenario: .get, certificate: certificate)
    default: AsyncHTTPClientClient(port: port, connections: 1, certificate: certificate)
    }
}

func mover(_ name: String, _ wire: Throughput.Wire, port: Int, certificate: String) throws -> any Mover {
    let origin = "\(wire == .plain ? "http" : "https")://127.0.0.1:\(port)"
    return switch name {
    case "nio": try BareMover(wire, port: port, certificate: certificate)
    case "ours": OurMover(origin: origin, certificate: certificate)
    default: AsyncHTTPClientMover(origin: origin, certificate: certificate)
    }
}

runBenchmark(perform)
