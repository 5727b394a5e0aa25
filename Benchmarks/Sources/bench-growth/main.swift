import BenchMain

// bench-growth cookies|renewed-cookies|spaces|storage-urls|sessions|filters SIZE COUNT    sends so many requests
// bench-growth valid|expired COUNT [PORT]    sends so many side by side; prints the peak of memory over rest, in bytes
// for each
//
// Without a network, unless there is a port. The instructions of the process are counted from outside.
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    let numbers = arguments.map { Int($0) ?? 0 }
    switch (arguments.first, arguments.count) {
    case ("valid", 2...3), ("expired", 2...3):
        try await Crowd.run(
            numbers[1], isExpired: arguments[0] == "expired", port: arguments.count == 3 ? numbers[2] : nil)
    case (let kind?, 3):
        guard let growth = try await Growth(kind, numbers[1]) else { return false }
        try await growth.run(numbers[2])
    default: return false
    }
    return true
}

runBenchmark(perform)
