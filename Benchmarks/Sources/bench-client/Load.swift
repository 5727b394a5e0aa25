import Dispatch
import Foundation

enum Scenario: String {
    case get, auth, parallel
    /// With the filters that are there by default; and where SAML2 challenges are looked for as well.
    case configured, saml2
}

/// One way of fetching the small resource.
protocol Client: Sendable {
    /// Number `task` of those that run side by side fetches once and returns the number of bytes.
    func fetch(_ task: Int) async throws -> Int
    /// Where number `task` runs; nil: on the threads of all tasks.
    func executor(_ task: Int) -> (any TaskExecutor)?
}

extension Client {
    func executor(_ task: Int) -> (any TaskExecutor)? { nil }
}

enum Load {
    struct WrongLength: Error {}

    /// Sends `requests` requests from `tasks` tasks, and prints processor time of a request (µs) and requests per
    /// second.
    static func measure(_ client: some Client, tasks: Int, requests: Int) async throws {
        let before = Usage.now()
        try await run(client, tasks: tasks, requests: requests)
        let used = Usage.now().since(before)
        let perRequest = (used.cpu * 10_000_000 / Double(requests)).rounded() / 10
        print("\(perRequest) \(Int(Double(requests) / used.wall))")
    }

    /// Sends `requests` requests from `tasks` tasks.
    static func run(_ client: some Client, tasks: Int, requests: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let work: @Sendable () async throws -> Void = {
                    for _ in 0..<(requests / tasks) {
                        guard try await client.fetch(task) == 82 else { throw WrongLength() }
                    }
                }
                // Even a preference that is nil costs instructions at each change of threads.
                if let executor = client.executor(task) {
                    group.addTask(executorPreference: executor, operation: work)
                } else {
                    group.addTask(operation: work)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// CPU time of this process and time on the wall, in seconds.
struct Usage {
    let cpu: Double
    let wall: Double

    static func now() -> Usage {
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return Usage(
            cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            wall: Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000)
    }

    func since(_ other: Usage) -> Usage { Usage(cpu: cpu - other.cpu, wall: wall - other.wall) }
}

#if !canImport(Darwin)
/// Glibc imports the constant as an enumeration, the function takes a number or the enumeration by version.
private func getrusage(_ who: __rusage_who, _ usage: inout rusage) {
    _ = Glibc.getrusage(Int32(who.rawValue), &usage)
}
#endif
