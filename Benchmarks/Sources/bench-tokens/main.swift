import BenchMain
import Foundation

// bench-tokens fill ENTRIES DIRECTORY                                      a vault with tokens under so many URLs
// bench-tokens request bare|plain|basic|memory|vault COUNT PORT DIRECTORY  sends so many requests, one after the other
// bench-tokens look-up memory|vault|vault-cold COUNT ENTRIES DIRECTORY     looks so many times for tokens
//
// Prints nothing: the instructions of the process are counted from outside.
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    let place = URL(filePath: arguments.last ?? "")
    switch (arguments.first, arguments.count) {
    case ("fill", 3): try await TokenStores.fill(place, entries: Int(arguments[1]) ?? 0)
    case ("request", 5):
        let client = try await TokenRequests(arguments[1], port: Int(arguments[3]) ?? 0, place: place)
        try await client.run(Int(arguments[2]) ?? 0)
    case ("look-up", 5):
        try await TokenLookUps.run(arguments[1], Int(arguments[2]) ?? 0, entries: Int(arguments[3]) ?? 0, place: place)
    default: return false
    }
    return true
}

runBenchmark(perform)
