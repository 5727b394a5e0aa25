import Foundation

// bench-client MODE SCENARIO CONNECTIONS REQUESTS PORT   prints CPU per request (µs), requests per second
// bench-client search ROUNDS                             prints CPU per MiB (µs): plain byte search, form search
// bench-client memory download|upload MIB PORT           prints the peak of resident memory (KiB)
let arguments = CommandLine.arguments
if arguments.count == 5, arguments[1] == "memory", let size = Int(arguments[3]), let port = Int(arguments[4]) {
    try await Memory.run(arguments[2], mebibytes: size, port: port)
    exit(0)
}
if arguments.count == 3, arguments[1] == "search", let rounds = Int(arguments[2]) {
    try await Detection.run(rounds)
    exit(0)
}
guard arguments.count == 6, let scenario = Scenario(rawValue: arguments[2]), let connections = Int(arguments[3]),
    let requests = Int(arguments[4]), let port = Int(arguments[5])
else {
    print(
        "usage: bench-client nio|transport|ours|ahc|urlsession get|auth|parallel|configured|saml2|page|page-saml2 CONNECTIONS REQUESTS PORT"
    )
    exit(2)
}
let client: any Client =
    switch arguments[1] {
    case "nio": try await BareClient(port: port, connections: connections)
    case "transport": try TransportClient(port: port, connections: connections)
    case "ours": try await OurClient(port: port, connections: connections, scenario: scenario)
    case "ahc": AsyncHTTPClientClient(port: port, connections: connections)
    default: URLSessionClient(port: port, connections: connections)
    }
let tasks = scenario == .parallel ? 1000 : connections
try await Load.run(client, tasks: tasks, requests: max(tasks, requests / 5))
let before = Usage.now()
try await Load.run(client, tasks: tasks, requests: requests)
let used = Usage.now().since(before)
let perRequest = (used.cpu * 10_000_000 / Double(requests)).rounded() / 10
print("\(perRequest) \(Int(Double(requests) / used.wall))")
exit(0)
